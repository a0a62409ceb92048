"""Draws what a display set of rviz2 would show, as SVG, from the messages in the graph: rviz2 itself is in no registry.

    python3 tests/ros/harness/rviz_picture.py config/rviz/drive.rviz out.svg

It is no rviz: shapes are drawn from back to front, and lines have no perspective. What it draws has the same topics, frames, sizes and
colours.
"""

import html
import math
import sys
import threading
import xml.etree.ElementTree

import numpy as np
from display_sets import DisplaySet
from frames import Frames, origin, pose
from visualization_msgs.msg import Marker

WIDTH, HEIGHT = 760, 520
# Vertical angle of view of Ogre's cameras [rad].
FIELD = math.radians(45.0)
LIGHT = np.array([0.36, 0.48, 0.8])
MOST_POINTS = 5000


class Received:
    """The messages of a display set, as its displays keep them. A missing transform is remembered."""

    def __init__(self, graph, displays):
        self.frames, self.lock = Frames(graph.node), threading.Lock()
        self.messages, self.silent = {}, {display.name for display in displays.subscribing()}
        for display in displays.subscribing():
            self.messages[display.name] = []
            graph.node.create_subscription(display.type, display.topic, lambda message, of=display: self._keep(of, message), display.qos)

    def _keep(self, display, message):
        with self.lock:
            kept = self.messages[display.name]
            self.silent.discard(display.name)
            if display.kind == "MarkerArray":
                kept[:] = [*{(marker.ns, marker.id): marker for marker in [*kept, *message.markers]}.values()]
                kept[:] = [marker for marker in kept if marker.action != Marker.DELETE]
                return
            if display.kind == "Odometry" and kept and not self._has_moved(display, kept[-1], message):
                return
            kept.append(message)
            most = {"Odometry": display.properties.get("Keep", 100), "Range": display.properties.get("Buffer Length", 1)}
            del kept[: -most.get(display.kind, 1)]

    @staticmethod
    def _has_moved(display, last, message):
        a, b = last.pose.pose.position, message.pose.pose.position
        return math.hypot(a.x - b.x, a.y - b.y) > display.properties["Position Tolerance"]

    def of(self, display):
        with self.lock:
            return list(self.messages.get(display.name, []))


def frames_of(message):
    """The frames of a message of any display."""
    return [] if not hasattr(message, "header") else [message.header.frame_id]


class Camera:
    """The view of a display set: from a point to pixels, and its depth, less is nearer."""

    def __init__(self, view, fixed, frames):
        target = view["Target Frame"]
        found = frames.lookup(fixed, fixed if target == "<Fixed Frame>" else target)
        self.at = found[:3, 3] if found is not None else np.zeros(3)
        self.view, self.is_flat = view, view["Class"].endswith("TopDownOrtho")
        if not self.is_flat:
            focal = self.at + [view["Focal Point"][axis] for axis in "XYZ"]
            pitch, yaw = view["Pitch"], view["Yaw"]
            back = np.array([math.cos(yaw) * math.cos(pitch), math.sin(yaw) * math.cos(pitch), math.sin(pitch)])
            right = np.cross([0.0, 0.0, 1.0], back)
            right /= np.linalg.norm(right)
            self.axes = np.array([right, np.cross(back, right), back])
            self.eye = focal + view["Distance"] * back
            self.scale = HEIGHT / 2 / math.tan(FIELD / 2)

    def pixel(self, point):
        if self.is_flat:
            x, y = (point[:2] - self.at[:2]) - [self.view["X"], self.view["Y"]]
            return WIDTH / 2 + self.view["Scale"] * x, HEIGHT / 2 - self.view["Scale"] * y, -point[2]
        right, up, back = self.axes @ (point - self.eye)
        depth = max(-back, 1e-3)
        return WIDTH / 2 + self.scale * right / depth, HEIGHT / 2 - self.scale * up / depth, depth

    def size(self, metres, point):
        return metres * (self.view["Scale"] if self.is_flat else self.scale / self.pixel(point)[2])


def rgb(colour, shade=1.0):
    return "#" + "".join(f"{min(255, max(0, round(255 * part * shade))):02x}" for part in colour[:3])


def solid_faces(kind, size):
    """The faces of a box or of a cylinder about its own origin."""
    if kind == "box":
        x, y, z = (np.array(size) / 2).tolist()
        corner = lambda a, b, c: (a * x, b * y, c * z)  # noqa: E731
        for axis in range(3):
            for side in (1, -1):
                around = [(1, 1), (-1, 1), (-1, -1), (1, -1)][::side]
                turned = [corner(*np.roll([side, b, c], axis)) for b, c in around]
                yield turned
        return
    radius, length = size
    count = 20
    ring = [(radius * math.cos(2 * math.pi * i / count), radius * math.sin(2 * math.pi * i / count)) for i in range(count)]
    for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1]):
        yield [(ax, ay, -length / 2), (bx, by, -length / 2), (bx, by, length / 2), (ax, ay, length / 2)]
    yield [(x, y, length / 2) for x, y in ring]
    yield [(x, y, -length / 2) for x, y in ring[::-1]]


class Canvas:
    """Collects shapes in the fixed frame, and writes them from back to front."""

    def __init__(self, camera):
        self.camera, self.shapes = camera, []

    def _add(self, depth, text):
        self.shapes.append((depth, text))

    def polygon(self, points, colour, alpha=1.0, shade=1.0):
        pixels = [self.camera.pixel(point) for point in points]
        text = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in pixels)
        fill = rgb(colour, shade)
        # The edge hides the gap between two faces; where both can be seen through it would be seen itself.
        edge = f' fill-opacity="{alpha:.2f}"' if alpha < 0.99 else f' stroke="{fill}" stroke-width="0.3"'
        self._add(sum(depth for _, _, depth in pixels) / len(pixels), f'<polygon points="{text}" fill="{fill}"{edge}/>')

    def face(self, matrix, points, colour, alpha=1.0):
        points = [matrix[:3, :3] @ np.array(point) + matrix[:3, 3] for point in points]
        normal = np.cross(points[1] - points[0], points[2] - points[1])
        length = np.linalg.norm(normal)
        if length > 0:
            seen = [self.camera.pixel(point) for point in points[:3]]
            if (seen[1][0] - seen[0][0]) * (seen[2][1] - seen[1][1]) - (seen[1][1] - seen[0][1]) * (seen[2][0] - seen[1][0]) < 0:
                self.polygon(points, colour, alpha, 0.72 + 0.28 * max(0.0, float(normal @ LIGHT) / length))

    def line(self, points, colour, width, alpha=1.0):
        """A line of a width in pixels."""
        pixels = [self.camera.pixel(np.array(point)) for point in points]
        text = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in pixels)
        self._add(
            sum(depth for _, _, depth in pixels) / len(pixels),
            f'<polyline points="{text}" fill="none" stroke="{rgb(colour)}" stroke-opacity="{alpha:.2f}" stroke-width="{max(width, 0.6):.1f}"/>',
        )

    def ball(self, centre, radius, colour, alpha=1.0):
        x, y, depth = self.camera.pixel(centre)
        self._add(depth, f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{max(self.camera.size(radius, centre), 0.8):.1f}" fill="{rgb(colour)}" fill-opacity="{alpha:.2f}"/>')

    def dots(self, points, colour, size):
        """Many points in one shape, each of a size in metres."""
        points = points[:: max(1, len(points) // MOST_POINTS)]
        if len(points):
            pixels = [self.camera.pixel(point) for point in points]
            text = "".join(f"M{x:.1f} {y:.1f}h0" for x, y, _ in pixels)
            width = max(self.camera.size(size, points[0]), 1.5)
            depth = sum(depth for _, _, depth in pixels) / len(pixels)
            self._add(depth, f'<path d="{text}" stroke="{rgb(colour)}" stroke-width="{width:.1f}" stroke-linecap="round"/>')

    def text(self, centre, height, text, colour):
        x, y, depth = self.camera.pixel(centre)
        size = self.camera.size(height, centre) * 1.35
        lines = text.split("\n")
        begin = y - (len(lines) - 1) * size / 2
        for index, line in enumerate(lines):
            row = begin + index * size
            words = html.escape(line).replace("   ", "\u00a0\u00a0\u00a0")
            self._add(
                depth - 1e6,
                f'<text x="{x:.1f}" y="{row:.1f}" font-size="{size:.1f}" fill="{rgb(colour)}" text-anchor="middle">{words}</text>',
            )

    def svg(self):
        return "\n".join(text for _, text in sorted(self.shapes, key=lambda shape: -shape[0]))


class Drawing:
    """The displays of a set on a canvas."""

    def __init__(self, displays, received):
        self.displays, self.received, self.missing = displays, received, set()
        self.frames, self.fixed = received.frames, displays.fixed_frame
        self.canvas = None

    def pose_of(self, frame):
        found = self.frames.lookup(self.fixed, frame)
        if found is None:
            self.missing.add(frame)
        return found

    def svg(self):
        """The picture; each display is a group of its own, as rviz draws what is transparent last."""
        camera = Camera(self.displays.view, self.fixed, self.frames)
        background = rgb([int(part) / 255 for part in self.displays.background.split(";")])
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            'font-family="sans-serif">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{background}"/>',
        ]
        for display in self.displays.displays:
            if display.is_enabled:
                self.canvas = Canvas(camera)
                getattr(self, f"draw_{display.kind}")(display)
                parts.append(f'<g id="{html.escape(display.name)}">\n{self.canvas.svg()}\n</g>')
        return "\n".join([*parts, "</svg>", ""])

    def draw_Grid(self, display):
        cell, count = display.properties["Cell Size"], display.properties["Plane Cell Count"]
        most = cell * count / 2
        for index in range(count + 1):
            at = index * cell - most
            for ends in (((-most, at, 0), (most, at, 0)), ((at, -most, 0), (at, most, 0))):
                self.canvas.line(ends, display.colour(), 1.0, display.properties["Alpha"])

    def draw_TF(self, display):
        length = 0.5 * display.properties["Marker Scale"]
        for frame in sorted({*self.frames.parents, *(parent for parent, _ in self.frames.parents.values())}):
            found = self.frames.lookup(self.fixed, frame)
            if found is not None:
                for axis, colour in zip(range(3), ((0.8, 0.1, 0.1), (0.1, 0.6, 0.1), (0.1, 0.2, 0.8))):
                    self.canvas.line([found[:3, 3], found[:3, 3] + length * found[:3, axis]], colour, 2.0)
                if display.properties["Show Names"]:
                    self.canvas.text(found[:3, 3], 0.1 * display.properties["Marker Scale"], frame, (0.2, 0.2, 0.2))

    def draw_RobotModel(self, display):
        for message in self.received.of(display)[-1:]:
            colours = {}
            for link in xml.etree.ElementTree.fromstring(message.data).findall("link"):
                found = self.pose_of(display.properties["TF Prefix"] + link.get("name")) if link.find("visual") is not None else None
                for visual in link.findall("visual") if found is not None else ():
                    material = visual.find("material")
                    if material is not None and material.find("color") is not None:
                        colours[material.get("name")] = [float(part) for part in material.find("color").get("rgba").split()]
                    colour = colours.get(material.get("name") if material is not None else "", [0.55, 0.6, 0.66, 1.0])
                    self.solid(found @ origin(visual), visual.find("geometry")[0], colour)

    def solid(self, matrix, shape, colour):
        if shape.tag == "sphere":
            self.canvas.ball(matrix[:3, 3], float(shape.get("radius")), colour, colour[3])
            return
        size = [float(part) for part in shape.get("size").split()] if shape.tag == "box" else [float(shape.get("radius")), float(shape.get("length"))]
        for face in solid_faces(shape.tag, size):
            self.canvas.face(matrix, face, colour, colour[3])

    def draw_LaserScan(self, display):
        for scan in self.received.of(display)[-1:]:
            found = self.pose_of(scan.header.frame_id)
            if found is not None:
                beams = [(scan.angle_min + index * scan.angle_increment, distance) for index, distance in enumerate(scan.ranges)]
                points = [(d * math.cos(a), d * math.sin(a), 0.0) for a, d in beams if scan.range_min <= d <= scan.range_max]
                self.canvas.dots([found[:3, :3] @ point + found[:3, 3] for point in points], display.colour(), display.properties["Size (m)"])

    def draw_PointCloud2(self, display):
        for cloud in self.received.of(display)[-1:]:
            found = self.pose_of(cloud.header.frame_id)
            offsets = [field.offset for name in "xyz" for field in cloud.fields if field.name == name]
            if found is not None and len(offsets) == 3:
                data = np.frombuffer(bytes(cloud.data), np.uint8).reshape(-1, cloud.point_step)
                points = [[np.frombuffer(row[offset : offset + 4].tobytes(), np.float32)[0] for offset in offsets] for row in data]
                self.canvas.dots([found[:3, :3] @ point + found[:3, 3] for point in points], display.colour(), display.properties["Size (m)"])

    def draw_Range(self, display):
        for message in self.received.of(display):
            found = self.pose_of(message.header.frame_id)
            if found is not None and message.min_range <= message.range <= message.max_range:
                aside = message.range * math.tan(message.field_of_view / 2)
                corners = [(0, 0, 0), (message.range, aside, 0), (message.range, -aside, 0)]
                self.canvas.polygon([found[:3, :3] @ corner + found[:3, 3] for corner in corners], display.colour(), display.properties["Alpha"])

    def draw_Odometry(self, display):
        shape = display.properties["Shape"]
        colour = [int(part) / 255 for part in shape["Color"].split(";")]
        for message in self.received.of(display):
            found = self.pose_of(message.header.frame_id)
            if found is not None:
                at = found @ pose(message.pose.pose.position, message.pose.pose.orientation)
                self.arrow(at[:3, 3], at[:3, 3] + (shape["Shaft Length"] + shape["Head Length"]) * at[:3, 0], 2 * shape["Shaft Radius"], 2 * shape["Head Radius"], shape["Head Length"], colour, shape["Alpha"])

    def arrow(self, start, end, shaft, head, length, colour, alpha=1.0):
        """An arrow that faces the camera."""
        way = end - start
        distance = np.linalg.norm(way)
        if distance < 1e-9:
            return
        way /= distance
        towards = np.array([0.0, 0.0, 1.0]) if self.canvas.camera.is_flat else self.canvas.camera.eye - start
        aside = np.cross(way, towards)
        if np.linalg.norm(aside) < 1e-9:
            return
        aside /= np.linalg.norm(aside)
        length = min(length or 0.3 * distance, distance)
        neck = end - length * way
        outline = [start + shaft / 2 * aside, neck + shaft / 2 * aside, neck + head / 2 * aside, end, neck - head / 2 * aside, neck - shaft / 2 * aside, start - shaft / 2 * aside]
        self.canvas.polygon(outline, colour, alpha)

    def draw_MarkerArray(self, display):
        for marker in self.received.of(display):
            found = self.pose_of(marker.header.frame_id)
            if found is not None:
                self.marker(found @ pose(marker.pose.position, marker.pose.orientation), marker)

    def marker(self, at, marker):
        colour, alpha = (marker.color.r, marker.color.g, marker.color.b), marker.color.a
        points = [at[:3, :3] @ (point.x, point.y, point.z) + at[:3, 3] for point in marker.points]
        scale, centre = marker.scale, at[:3, 3]
        if marker.type == Marker.TRIANGLE_LIST:
            for index in range(0, len(points), 3):
                own = marker.colors[index] if marker.colors else marker.color
                self.canvas.polygon(points[index : index + 3], (own.r, own.g, own.b), own.a)
        elif marker.type == Marker.ARROW:
            self.arrow(*points, scale.x, scale.y, scale.z, colour, alpha)
        elif marker.type == Marker.LINE_STRIP:
            self.canvas.line(points, colour, self.canvas.camera.size(scale.x, points[0]), alpha)
        elif marker.type == Marker.SPHERE:
            self.canvas.ball(centre, scale.x / 2, colour, alpha)
        elif marker.type == Marker.CUBE:
            for face in solid_faces("box", (scale.x, scale.y, scale.z)):
                self.canvas.face(at, face, colour, alpha)
        elif marker.type == Marker.TEXT_VIEW_FACING:
            self.canvas.text(centre, scale.z, marker.text, colour)
        else:
            raise AssertionError(f"a marker of type {marker.type}, which this program does not draw")


def main(path, out, seconds="3"):
    from graph import Graph

    graph = Graph()
    displays = DisplaySet(path)
    received = Received(graph, displays)
    threading.Event().wait(float(seconds))
    drawing = Drawing(displays, received)
    with open(out, "w") as file:
        file.write(drawing.svg())
    print(f"without a message: {', '.join(sorted(received.silent)) or 'none'}; frames without a transform: {', '.join(sorted(drawing.missing)) or 'none'}")
    graph.close()


if __name__ == "__main__":
    main(*sys.argv[1:])

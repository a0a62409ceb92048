"""The display sets of `config/rviz` as rviz2 of Jazzy reads them: what each display subscribes to, and with which QoS.

The tables are from the sources of rviz 14.1.5: the properties that a class of rviz_default_plugins has, and the words of a QoS profile. rviz
ignores a property that it does not know and keeps its default, so a misspelt one would be found by nobody.
"""

import yaml
from nav_msgs.msg import Odometry
from paths import ROOT
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import LaserScan, PointCloud2, Range
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

FOLDER = ROOT / "config" / "rviz"
SETS = sorted(path.stem for path in FOLDER.glob("*.rviz"))

_TOPIC = "Topic Topic/Depth Topic/Durability_Policy Topic/History_Policy Topic/Reliability_Policy Topic/Value"
_FILTERED = f"{_TOPIC} Topic/Filter_size"
_POINTS = (
    f"{_FILTERED} Alpha Selectable Style Size_(m) Size_(Pixels) Decay_Time Position_Transformer Color_Transformer Color "
    "Axis Autocompute_Value_Bounds Autocompute_Value_Bounds/Min_Value Autocompute_Value_Bounds/Max_Value Use_Fixed_Frame"
)
_COVARIANCE = " ".join(
    ["Covariance", "Covariance/Value", "Covariance/Position", "Covariance/Orientation"]
    + [f"Covariance/Position/{name}" for name in ("Value", "Color", "Alpha", "Scale")]
    + [f"Covariance/Orientation/{name}" for name in ("Value", "Frame", "Color_Style", "Color", "Alpha", "Offset", "Scale")]
)
_SHAPE = "Value Color Alpha Shaft_Length Shaft_Radius Head_Length Head_Radius Axes_Length Axes_Radius"
# The type of the messages, the property with the topic, and all properties besides Class, Name, Enabled and Value.
CLASSES = {
    "Grid": (
        None,
        None,
        "Reference_Frame Plane_Cell_Count Normal_Cell_Count Cell_Size Line_Style Line_Style/Value Line_Style/Line_Width Color Alpha Plane "
        "Offset Offset/X Offset/Y Offset/Z",
    ),
    "RobotModel": (
        String,
        "Description Topic",
        f"{_TOPIC.replace('Topic', 'Description_Topic')} Visual_Enabled Collision_Enabled Update_Interval Alpha Description_Source "
        "Description_File TF_Prefix",
    ),
    "TF": (None, None, "Show_Names Show_Axes Show_Arrows Marker_Scale Update_Interval Frame_Timeout"),
    "MarkerArray": (MarkerArray, "Topic", f"{_TOPIC} Namespaces"),
    "LaserScan": (LaserScan, "Topic", _POINTS),
    "PointCloud2": (PointCloud2, "Topic", _POINTS),
    "Range": (Range, "Topic", f"{_FILTERED} Color Alpha Buffer_Length"),
    "Odometry": (
        Odometry,
        "Topic",
        f"{_FILTERED} Position_Tolerance Angle_Tolerance Keep Shape {_COVARIANCE} " + " ".join(f"Shape/{name}" for name in _SHAPE.split()),
    ),
}
_OF_ALL = {"Class", "Name", "Enabled", "Value"}
_VIEW = "Class Name Value Target_Frame Near_Clip_Distance Invert_Z_Axis Enable_Stereo_Rendering " + " ".join(
    f"Enable_Stereo_Rendering/{name}" for name in ("Value", "Swap_Stereo_Eyes", "Stereo_Eye_Separation", "Stereo_Focal_Distance")
)
VIEWS = {
    "TopDownOrtho": f"{_VIEW} Scale Angle X Y",
    "Orbit": f"{_VIEW} Distance Focal_Shape_Size Focal_Shape_Fixed_Size Yaw Pitch Focal_Point Focal_Point/X Focal_Point/Y Focal_Point/Z",
}
RELIABILITY = {"Reliable": ReliabilityPolicy.RELIABLE, "Best Effort": ReliabilityPolicy.BEST_EFFORT}
DURABILITY = {"Volatile": DurabilityPolicy.VOLATILE, "Transient Local": DurabilityPolicy.TRANSIENT_LOCAL}


def _names(text):
    return {name.replace("_", " ") for name in text.split()}


def _paths(properties, before=""):
    for name, value in properties.items():
        yield f"{before}{name}"
        if isinstance(value, dict):
            yield from _paths(value, f"{before}{name}/")


class Display:
    """One display of a set."""

    def __init__(self, properties):
        self.properties = properties
        self.name, self.kind = properties["Name"], properties["Class"].removeprefix("rviz_default_plugins/")
        self.is_enabled = properties["Enabled"]
        self.type, key, _ = CLASSES[self.kind]
        self.topic = self.qos = None
        if key:
            topic = properties[key]
            assert topic["History Policy"] == "Keep Last", self.name
            self.topic = topic["Value"]
            self.qos = QoSProfile(
                depth=topic["Depth"],
                history=HistoryPolicy.KEEP_LAST,
                reliability=RELIABILITY[topic["Reliability Policy"]],
                durability=DURABILITY[topic["Durability Policy"]],
            )

    def unknown(self):
        """The properties that its class does not have."""
        known = _names(CLASSES[self.kind][2]) | _OF_ALL
        return {path for path in _paths(self.properties) if path not in known}

    def colour(self, name="Color"):
        return [int(part) / 255.0 for part in self.properties[name].split(";")]


class DisplaySet:
    """A file of `config/rviz`, or another of the same kind."""

    def __init__(self, path):
        with open(path) as file:
            manager = yaml.safe_load(file)["Visualization Manager"]
        self.fixed_frame = manager["Global Options"]["Fixed Frame"]
        self.background = manager["Global Options"]["Background Color"]
        self.displays = [Display(properties) for properties in manager["Displays"]]
        self.view = manager["Views"]["Current"]

    def unknown_of_view(self):
        known = _names(VIEWS[self.view["Class"].removeprefix("rviz_default_plugins/")])
        return {path for path in _paths(self.view) if path not in known}

    def subscribing(self):
        return [display for display in self.displays if display.topic]


def named(name):
    return DisplaySet(FOLDER / f"{name}.rviz")

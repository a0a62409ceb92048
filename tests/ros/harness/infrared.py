"""An infra-red sensor that flickers."""

from sensor_msgs.msg import Range
from vehicle import now

SENSOR = "ir_front_port"
CLEAR, BLOCKED = 1.0, 0.15


class Flicker:
    """A sensor that sends `readings` in turn, `rate` times a second; the times of those that are not clear are kept."""

    def __init__(self, vehicle, frame=SENSOR):
        self.vehicle, self.turn, self.bad = vehicle, 0, []
        self.message = Range(min_range=0.1, max_range=5.0)
        self.message.header.frame_id = frame
        self.publisher = vehicle.graph.node.create_publisher(Range, "/hind/ir", 10)
        self.timer = None
        self.readings = [CLEAR]

    def send(self, rate, readings):
        if self.timer:
            self.vehicle.graph.node.destroy_timer(self.timer)
        self.readings, self.turn = readings, 0
        self.timer = self.vehicle.graph.node.create_timer(1.0 / rate, self._publish)

    def clear(self, rate=50.0):
        self.send(rate, [CLEAR])

    def _publish(self):
        reading = self.readings[self.turn % len(self.readings)]
        self.turn += 1
        if reading != CLEAR:
            self.bad.append(now())
        self.message.range = reading
        self.publisher.publish(self.message)

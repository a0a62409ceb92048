"""Where things are: imports nothing of ROS, so that a script may import it before it changes the middleware's settings."""

import pathlib

HARNESS = pathlib.Path(__file__).parent
ROOT = HARNESS.parents[2]

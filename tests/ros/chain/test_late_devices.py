"""A network device that comes up after a node: the middleware never uses it, and the node says so."""

import os
import time

import pytest
from hosts import namespace
from processes import Process

LATER = """
ip link set lo up
(
    while [ ! -e "$0" ]; do sleep 0.1; done
    ip link add steersman_near type veth peer name steersman_far
    ip address add 10.213.8.1/24 dev steersman_near
    ip link set steersman_near up
    ip link set steersman_far up
) &
exec hindbrain
"""


@pytest.mark.fault("network-late")
def test_a_device_that_comes_up_after_a_node_is_reported_by_name(tmp_path):
    words = namespace()
    if words is None:
        assert os.environ.get("CI") != "true", "no network namespace is to be had, and in CI this has to be tested"
        pytest.skip("no network namespace is available here: it needs root or user namespaces, and iproute2")
    go = tmp_path / "go"
    hindbrain = Process(*words, "sh", "-c", LATER, str(go))
    try:
        for what, seen in (("it starts", "not enabled"), ("it reports", "'steersman_near' came up after this node")):
            end = time.monotonic() + 20.0
            while seen not in hindbrain.output:
                assert time.monotonic() < end, f"{what}: {hindbrain.output}"
                time.sleep(0.1)
            go.touch()
        assert hindbrain.output.count("came up after this node had started") == 1
    finally:
        hindbrain.stop()

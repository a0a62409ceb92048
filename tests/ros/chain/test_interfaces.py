"""The wire: every interface type has the hash of `type_hashes.txt`, and its source's sizes and bounds.

Two programs understand one another only if the hashes of their types are equal, so a changed hash is a broken
interface. Each hash is asked of a running node: a message's from the publisher that it announces, a service's and
the action's from the node's own `get_type_description` service, which knows only types in use. The installed files
only serve to name the hash that was found instead.
"""

import importlib
import json
import os
import struct
import time
from pathlib import Path

import pytest
import rclpy
from ament_index_python import PackageNotFoundError, get_package_share_directory, get_resource
from paths import HARNESS
from rclpy.action import ActionServer
from rclpy.executors import SingleThreadedExecutor
from rclpy.serialization import serialize_message
from type_description_interfaces.srv import GetTypeDescription

pytestmark = pytest.mark.starts_nothing

PACKAGES = ('haptix_msgs', 'hindbrain_msgs', 'luci_messages', 'or_joystick', 'or_pose_estimator', 'pr2_mechanism_msgs')
LIST = HARNESS / 'type_hashes.txt'
LISTED = dict(line.split() for line in LIST.read_text().splitlines())

ENCAPSULATION = 4  # bytes before each CDR payload
PATIENCE = 5.0  # s, for discovery and for one service call


def interface(package, kind, name):
    """Return the generated Python class, or fail with a message."""
    try:
        return getattr(importlib.import_module(f'{package}.{kind}'), name)
    except (ImportError, AttributeError) as error:
        pytest.fail(f'{package}/{kind}/{name}: expected an importable type, found {error!r}; is the workspace sourced?')


def installed_hash(full_name):
    """Return the hash in the files that were generated with the type, or why there is none."""
    package, kind, name = full_name.split('/')
    try:
        file = Path(get_package_share_directory(package), kind, f'{name}.json')
        entries = json.loads(file.read_text())['type_hashes']
        return {entry['type_name']: entry['hash_string'] for entry in entries}[full_name]
    except (PackageNotFoundError, OSError, KeyError) as error:
        return f'no hash on record ({error!r})'


def installed_types(package):
    """Return the names of all types that an installed package declares."""
    try:
        content, _prefix = get_resource('rosidl_interfaces', package)
    except LookupError:
        pytest.fail(f'{package}: expected an installed interface package, found none; is the workspace sourced?')
    return {f'{package}/{Path(line).with_suffix("")}' for line in content.split() if line.endswith('.idl')}


class Wire:
    """A node that offers types, and one that asks it about them."""

    def __init__(self):
        self.context = rclpy.Context()
        self.context.init()
        name = f'interfaces_{os.getpid()}'
        self.node = rclpy.create_node(name, context=self.context)
        self.asker = rclpy.create_node(f'{name}_asker', context=self.context)
        self.client = self.asker.create_client(GetTypeDescription, f'/{name}/get_type_description')
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.executor.add_node(self.asker)
        assert self.client.wait_for_service(PATIENCE), 'the node has no get_type_description service'

    def close(self):
        """Destroy both nodes."""
        self.executor.shutdown()
        self.asker.destroy_node()
        self.node.destroy_node()
        self.context.shutdown()

    def published_hash(self, message, label):
        """Return the hash that a publisher of `message` announces."""
        publisher = self.node.create_publisher(message, f'~/{label}', 1)
        try:
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end:
                for info in self.node.get_publishers_info_by_topic(publisher.topic_name):
                    return str(info.topic_type_hash)
                time.sleep(0.01)
            return 'no such publisher in the graph'
        finally:
            self.node.destroy_publisher(publisher)

    def offers(self, full_name, type_hash):
        """Return whether the node has an entity whose type has this hash in use, and what it answers otherwise."""
        request = GetTypeDescription.Request(type_name=full_name, type_hash=type_hash, include_type_sources=False)
        future = self.client.call_async(request)
        self.executor.spin_until_future_complete(future, timeout_sec=PATIENCE)
        if not future.done():
            return False, 'no answer'
        return future.result().successful, future.result().failure_reason


@pytest.fixture(scope='module')
def wire():
    """Give all tests of this file one pair of nodes."""
    wire = Wire()
    yield wire
    wire.close()


def test_the_list_is_sorted_and_names_every_type_once():
    names = [line.split()[0] for line in LIST.read_text().splitlines()]
    assert names == sorted(set(names)), f'{LIST.name} is not sorted or names a type twice'


@pytest.mark.parametrize('package', PACKAGES)
def test_the_list_holds_every_type_of(package):
    present = installed_types(package)
    listed = {name for name in LISTED if name.split('/')[0] == package}
    lines = '\n'.join(f'{name} {installed_hash(name)}' for name in sorted(present - listed))
    assert not present - listed, f'{package} has types that {LIST.name} does not list; if they are meant, add:\n{lines}'
    assert not listed - present, f'{LIST.name} lists types that {package} does not have: {sorted(listed - present)}'


def test_the_list_holds_no_other_package():
    assert {name.split('/')[0] for name in LISTED} == set(PACKAGES)


@pytest.mark.parametrize(('full_name', 'expected'), LISTED.items(), ids=list(LISTED))
def test_a_type_keeps_its_hash(wire, full_name, expected):
    package, kind, name = full_name.split('/')
    type_class = interface(package, kind, name)
    label = f'{package}_{kind}_{name}'
    if kind == 'msg':
        found = wire.published_hash(type_class, label)
        assert found == expected, f'{full_name}: expected {expected}, found {found}'
        return
    if kind == 'srv':
        service = wire.node.create_service(type_class, f'~/{label}', lambda _request, response: response)
        in_use, reason = wire.offers(full_name, expected)
        wire.node.destroy_service(service)
    else:
        action = ActionServer(wire.node, type_class, f'~/{label}', lambda _goal: type_class.Result())
        in_use, reason = wire.offers(full_name, expected)
        action.destroy()
    assert in_use, f'{full_name}: expected {expected}, found {installed_hash(full_name)} (the node says: {reason})'


@pytest.mark.parametrize(
    ('package', 'name', 'payload'),
    [
        ('luci_messages', 'LuciJoystick', 16),  # 4 int32
        ('luci_messages', 'LuciJoystickScaling', 24),  # 4 int32, 2 float32
        ('luci_messages', 'LuciZoneScaling', 64),  # 16 float32
        ('haptix_msgs', 'Sensor', 2056),  # 2 int32, 6 x 32 float32, 32 x (3 + 3 + 4) float32: the C struct's size
    ],
)
def test_a_plain_message_has_the_size_of_its_source(package, name, payload):
    size = len(serialize_message(interface(package, 'msg', name)()))
    expected = payload + ENCAPSULATION
    assert size == expected, f'{package}/msg/{name}: expected {expected} bytes, found {size}'


HEADER = struct.pack('<iII8s', 7, 8, 8, b'chassis\0')  # stamp, length of the frame with its end, the frame; no padding
LUCI = {
    'LuciJoystick': (
        {'forward_back': -100, 'left_right': 99, 'joystick_zone': 6, 'input_source': 5},
        struct.pack('<4i', -100, 99, 6, 5),
    ),
    'LuciJoystickScaling': (
        {
            'forward_back': 50, 'left_right': -9, 'joystick_zone': 8, 'input_source': 1,
            'forward_back_scaling': 0.5, 'left_right_scaling': 0.1,
        },
        struct.pack('<4i2f', 50, -9, 8, 1, 0.5, 0.1),
    ),
    # In the order of the message: front, front right, front left, right, left, back right, back left, back.
    'LuciZoneScaling': (
        {
            f'{zone}_{part}': (2 * index + (part == 'rl')) / 16.0
            for index, zone in enumerate(
                ('front', 'front_right', 'front_left', 'right', 'left', 'back_right', 'back_left', 'back')
            )
            for part in ('fb', 'rl')
        },
        struct.pack('<16f', *(field / 16.0 for field in range(16))),
    ),
    'LuciEncoders': (
        {
            'left_angle': 359.99, 'right_angle': 0.5, 'fl_caster_degrees': 1.0, 'bl_caster_degrees': 2.0,
            'fr_caster_degrees': 3.0, 'br_caster_degrees': 4.0, 'edge_timestamp': 2**32 - 1,
        },
        HEADER + struct.pack('<6fI', 359.99, 0.5, 1.0, 2.0, 3.0, 4.0, 2**32 - 1),
    ),
    'LuciImu': (
        {
            **{
                f'{quantity}_{axis}': 10.0 * row + column
                for row, (quantity, axes) in enumerate(
                    (
                        ('quaternion', 'xyzw'), ('acceleration', 'xyz'), ('gyro', 'xyz'), ('euler', 'xyz'),
                        ('accelerometer', 'xyz'), ('magnetometer', 'xyz'), ('gravity', 'xyz'),
                    )
                )
                for column, axis in enumerate(axes)
            },
            'cal_system': 1, 'cal_gyroscope': 2, 'cal_accelerometer': 3, 'cal_magnetometer': -4, 'source': 2,
            'edge_timestamp': 5,
        },
        HEADER
        + struct.pack(
            '<22f', 0, 1, 2, 3, 10, 11, 12, 20, 21, 22, 30, 31, 32, 40, 41, 42, 50, 51, 52, 60, 61, 62
        )
        + struct.pack('<5iI', 1, 2, 3, -4, 2, 5),
    ),
    'LuciCameraInfo': (
        {'intrinsics': [1.0, 2.0, 3.0, 4.0], 'translation': [5.0, 6.0, 7.0], 'rotation': [8.0, 9.0, 10.0], 'type': 1},
        HEADER + struct.pack('<10fB', *range(1, 11), 1),
    ),
}


@pytest.mark.parametrize('name', LUCI)
def test_a_message_of_luci_is_these_bytes(name):
    values, payload = LUCI[name]
    message = interface('luci_messages', 'msg', name)(**values)
    if hasattr(message, 'header'):
        message.header.stamp.sec, message.header.stamp.nanosec, message.header.frame_id = 7, 8, 'chassis'
    found = bytes(serialize_message(message))
    assert found[:2] == b'\0\1', 'CDR, little endian'
    assert found[ENCAPSULATION:ENCAPSULATION + len(payload)].hex(' ', 4) == payload.hex(' ', 4)
    assert len(found) - ENCAPSULATION - len(payload) < 4, 'more than padding at the end'


def full(package, name, field, element, length):
    """Return a message whose bounded sequence `field` has `length` elements."""
    return interface(package, 'msg', name)(**{field: [element() for _ in range(length)]})


OPTIONAL = {
    'pos': 'Pos', 'att': 'Att', 'vel': 'Vel', 'avel': 'AVel', 'acc': 'Acc', 'aacc': 'AAcc',
    'pos_cov': 'PosCov', 'att_cov': 'AttCov', 'att_pos_cov': 'AttPosCov',
    'vel_cov': 'VelCov', 'avel_cov': 'AVelCov', 'acc_cov': 'AccCov', 'aacc_cov': 'AAccCov',
}
BOUNDED = [
    ('or_joystick', 'State', 'buttons', bool, 16),
    ('or_joystick', 'State', 'axes', int, 16),
    *(('or_pose_estimator', 'State', field, name, 1) for field, name in OPTIONAL.items()),
    *(
        ('haptix_msgs', 'RobotDescription', field, str, 32)
        for field in ('motor_names', 'joint_names', 'contact_names', 'imu_names', 'imu_frames')
    ),
    ('haptix_msgs', 'RobotDescription', 'gear_ratio', float, 32),
]


@pytest.mark.parametrize(
    ('package', 'name', 'field', 'element', 'bound'), BOUNDED, ids=[f'{row[0]}-{row[2]}' for row in BOUNDED]
)
def test_a_sequence_is_accepted_up_to_its_bound_and_refused_beyond(package, name, field, element, bound):
    if isinstance(element, str):
        element = interface(package, 'msg', element)
    serialize_message(full(package, name, field, element, bound))
    with pytest.raises(RuntimeError):
        serialize_message(full(package, name, field, element, bound + 1))


@pytest.mark.parametrize(
    ('name', 'part', 'field', 'bound'),
    [('Rename', 'Request', 'name', 32), ('Rename', 'Request', 'newname', 32), ('Log', 'Request', 'path', 64)],
)
def test_a_string_is_refused_beyond_its_bound_when_fields_are_checked(name, part, field, bound):
    # Unchecked (rclpy's default) a longer one is sent: a server has to check the length itself.
    message = getattr(interface('or_joystick', 'srv', name), part)
    message(**{field: 'x' * bound}, check_fields=True)
    with pytest.raises(AssertionError):
        message(**{field: 'x' * (bound + 1)}, check_fields=True)


def test_a_fresh_mapping_drives_nothing():
    mappings = interface('or_joystick', 'msg', 'Mappings')()
    for axis in (*mappings.linear, *mappings.angular):
        assert (axis.axis, axis.offset, axis.scale) == (-1, 0.0, 1.0)
    enable, coords = mappings.enable, mappings.coords
    assert {enable.on, enable.slow, enable.toggle, coords.intrinsic, coords.world, coords.toggle} == {-1}

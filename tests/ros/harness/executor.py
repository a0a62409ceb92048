"""An executor for the tests' own node that asks for little of the processor.

rclpy's executors build their wait set anew twice for each message, with all the entities of the node. At the rates of these tests that took
more than all nodes under test. This one keeps the wait set's entities until the node's change, and drains what is ready.
"""

import contextlib
import itertools

from rclpy._rclpy_pybind11 import InvalidHandle, RCLError
from rclpy.event_handler import EventHandler
from rclpy.executors import SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.waitable import NumberOfEntities

# A flood on one topic does not keep the others waiting for longer than this many messages.
BATCH = 100


class QuickExecutor(SingleThreadedExecutor):
    """Executes the callbacks of one node, which are plain functions; events of QoS are not reported."""

    def __init__(self, *, context):
        super().__init__(context=context)
        self._used = contextlib.ExitStack()
        self._entities = self._wait_set = None

    def spin_once(self, timeout_sec=None):
        """Waits until something is ready, for `timeout_sec` [s] at most, and executes all that is."""
        self._collect()
        try:
            ready = self._wait(timeout_sec)
        except InvalidHandle:  # destroyed meanwhile
            self._entities = None
            return
        subscriptions, timers, clients, services, _, waitables = self._entities
        for timer in timers:
            if timer.handle.pointer in ready["timer"] and timer.handle.is_timer_ready():
                self._execute(self._take_timer(timer))
        for subscription in subscriptions:
            if subscription.handle.pointer in ready["subscription"]:
                for _ in itertools.takewhile(self._execute, (self._take_subscription(subscription) for _ in range(BATCH))):
                    pass
        for client in clients:
            if client.handle.pointer in ready["client"]:
                self._execute(self._take_client(client))
        for service in services:
            if service.handle.pointer in ready["service"]:
                self._execute(self._take_service(service))
        for waitable in ready["waitable"]:
            self._execute(self._take_waitable(waitable))
        with self._tasks_lock:
            tasks, self._tasks = self._tasks, []
        for task, _, _ in tasks:
            task()

    def shutdown(self, timeout_sec=None):
        self._used.close()
        self._wait_set = None
        return super().shutdown(timeout_sec)

    def _collect(self):
        """Makes another wait set if the entities of the node have changed; their handles are in use as long as it is."""
        (node,) = self.get_nodes()
        waitables = [one for one in node.waitables if not isinstance(one, EventHandler)]
        entities = [list(node.subscriptions), list(node.timers), list(node.clients), list(node.services), list(node.guards), waitables]
        if entities == self._entities:
            return
        self._used.close()
        for kind in entities:
            for one in list(kind):
                try:
                    self._used.enter_context(one if kind is waitables else one.handle)
                except InvalidHandle:  # destroyed meanwhile
                    kind.remove(one)
        subscriptions, timers, clients, services, guards, _ = map(len, entities)
        count = NumberOfEntities(subscriptions, guards + 1, timers, clients, services)
        for one in waitables:
            count += one.get_num_entities()
        self._entities = entities
        self._wait_set = rclpy_implementation.WaitSet(
            count.num_subscriptions,
            count.num_guard_conditions,
            count.num_timers,
            count.num_clients,
            count.num_services,
            count.num_events,
            self._context.handle,
        )

    def _wait(self, timeout_sec):
        """What is ready, by kind: pointers of handles, and waitables."""
        subscriptions, timers, clients, services, guards, waitables = self._entities
        wait_set = self._wait_set
        wait_set.clear_entities()
        for add, kind in (
            (wait_set.add_subscription, subscriptions),
            (wait_set.add_timer, timers),
            (wait_set.add_client, clients),
            (wait_set.add_service, services),
            (wait_set.add_guard_condition, [*guards, self._guard]),
        ):
            for one in kind:
                add(one.handle)
        for one in waitables:
            one.add_to_wait_set(wait_set)
        wait_set.wait(-1 if timeout_sec is None else int(timeout_sec * 1e9))
        ready = {kind: wait_set.get_ready_entities(kind) for kind in ("subscription", "timer", "client", "service")}
        return ready | {"waitable": [one for one in waitables if one.is_ready(wait_set)]}

    def _take_timer(self, timer):
        try:
            return super()._take_timer(timer)
        except RCLError:
            if not timer.is_canceled():  # by another thread, since it was ready
                raise
            return None

    def _execute(self, take):
        """Executes what was taken; returns whether there was something."""
        if take is None:
            return False
        with contextlib.suppress(StopIteration):
            take().send(None)
        return True

use core::time::Duration;

use params::{Parameter, Specification};
use safety::{Backlog, Instant, Machine, Velocity};

use crate::board::{Board, NODES, REPORT_TIMEOUT, Report, STOP_TIMEOUT, Stop, VELOCITY_TIMEOUT};
use crate::path::path;
use crate::{Colour, Marker, Pace};

params::params! {
    /// The parameters of the node.
    pub struct Params {
        /// Frame of the beacon, the text and the velocities on ~/markers: x ahead, y to the left.
        frame: String = Parameter::string("frame", "base_link"),
        /// From the point that the vehicle turns about to its front, where the arrows of the velocities begin. Beacon and text are in
        /// proportion.
        reach: f64 = Parameter::float("reach", 0.35, 0.02, 5.0).unit("m"),
        /// Whether the requested command is geometry_msgs/TwistStamped; otherwise geometry_msgs/Twist.
        stamped: bool = Parameter::bool("stamped", true).at_start(),
    }
}

/// All parameters of the node.
pub fn specification() -> Specification {
    Specification::new(
        "marker_publisher",
        "Draws for rviz why a vehicle, an arm or a hand is not moving, and its velocities.",
    )
    .with_all(Params::declarations())
}

/// Everything that can happen to the node.
#[derive(Clone, Debug)]
pub enum Input {
    /// The vehicle's stop state was received.
    StopReceived(Stop),
    /// The diagnostics of nodes were received.
    ReportsReceived(Vec<Report>),
    /// A command was received, before anything reduces it; `None` if it is not finite.
    RequestReceived(Option<Velocity>),
    /// The velocity that was applied was received.
    GrantReceived(Option<Velocity>),
    /// New parameters.
    ParametersChanged(Params),
}

/// Everything that the node can request.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Publish these markers; the second field is the frame of those that have none of their own.
    Publish(Vec<Marker>, String),
}

/// Draws the picture of the node `marker_publisher`: it decides nothing, and nothing depends on it.
///
/// * A picture is made ten times a second at most, and twice a second in any case.
/// * A message that is not repeated disappears: the stop state after 1.5 s, a node's sentence after 3.5 s, a velocity after 0.5 s.
#[derive(Clone, Debug)]
pub struct MarkerPublisher {
    params: Params,
    now: Instant,
    stop: Option<(Instant, Stop)>,
    /// By the nodes in [`NODES`].
    reports: [Option<(Instant, Report)>; NODES.len()],
    requested: Option<(Instant, Velocity)>,
    granted: Option<(Instant, Velocity)>,
    has_changed: bool,
    pace: Pace<Vec<Marker>>,
}

impl MarkerPublisher {
    /// A picture without any message.
    pub fn new(params: Params) -> Self {
        Self {
            params,
            now: Instant::ZERO,
            stop: None,
            reports: Default::default(),
            requested: None,
            granted: None,
            has_changed: true,
            pace: Pace::default(),
        }
    }

    fn markers(&self) -> Vec<Marker> {
        let stop = self.recent(self.stop.as_ref(), STOP_TIMEOUT);
        let reports = self.reports.iter();
        let board = Board {
            stop,
            reports: reports.filter_map(|report| self.recent(report.as_ref(), REPORT_TIMEOUT)).collect(),
        };
        let reach = self.params.reach;
        let mut markers = board.markers(reach);
        for (velocity, colour, id) in
            [(&self.requested, Colour::REQUESTED, 0), (&self.granted, Colour::GRANTED, 2)]
        {
            let velocity = self.recent(velocity.as_ref(), VELOCITY_TIMEOUT).copied();
            markers.extend(path(velocity, colour, id, reach));
        }
        markers
    }

    fn recent<'a, T>(&self, of: Option<&'a (Instant, T)>, timeout: Duration) -> Option<&'a T> {
        of.filter(|(at, _)| self.now.since(*at) < timeout).map(|(_, of)| of)
    }
}

impl Machine for MarkerPublisher {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Instant, input: Input) {
        self.now = self.now.max(now);
        let now = self.now;
        match input {
            Input::StopReceived(stop) => {
                self.has_changed |= self.stop.as_ref().is_none_or(|(_, known)| *known != stop);
                self.stop = Some((now, stop));
            }
            Input::ReportsReceived(reports) => {
                for report in reports {
                    let index = NODES.iter().position(|name| *name == report.node);
                    let Some(place) = index.and_then(|index| self.reports.get_mut(index)) else { continue };
                    self.has_changed |= place.as_ref().is_none_or(|(_, known)| *known != report);
                    *place = Some((now, report));
                }
            }
            Input::RequestReceived(velocity) => {
                self.has_changed |= self.requested.map(|(_, known)| known) != velocity;
                self.requested = velocity.map(|velocity| (now, velocity));
            }
            Input::GrantReceived(velocity) => {
                self.has_changed |= self.granted.map(|(_, known)| known) != velocity;
                self.granted = velocity.map(|velocity| (now, velocity));
            }
            Input::ParametersChanged(params) => {
                self.params = params;
                self.has_changed = true;
            }
        }
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.now = self.now.max(now);
        if self.now < self.pace.next(self.has_changed) || !self.pace.is_time(self.now) {
            return None;
        }
        self.has_changed = false;
        let markers = self.markers();
        self.pace.is_due(self.now, &markers).then(|| Output::Publish(markers, self.params.frame.clone()))
    }

    fn backlog(_: &Output) -> Backlog {
        Backlog::Newest(0)
    }

    fn deadline(&self) -> Option<Instant> {
        Some(self.pace.next(self.has_changed))
    }
}

use safety::{Backlog, Command, Instant, Level, Machine, Stamp, earliest};

use crate::occupant::Occupant;
use crate::{
    BadCamera, CameraMatrices, Encoders, Estimate, Imu, ImuFields, Input, Joystick, Odometry, OdometryInput,
    Output, Params, Remote, Source, State, camera, imu,
};

/// Inputs of the node.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // inputs are passed one by one, never stored
pub enum ChairInput {
    /// An input of the remote only. `ParametersChanged` must be sent as [`ChairInput::ParametersChanged`].
    Remote(Input),
    /// A `luci/joystick_position` was received, which has no stamp.
    PositionReceived(zones::Joystick),
    /// A `luci/joystick_scaling` was received, with this `input_source`.
    ScalingReceived(i32),
    /// A `luci/encoders` was received.
    EncodersReceived(Encoders),
    /// A `luci/imu` was received, with its stamp.
    ImuReceived(ImuFields, Stamp),
    /// A camera's `LuciCameraInfo` was received.
    CameraReceived {
        /// The camera.
        side: Side,
        /// The stamp as received.
        stamp: Stamp,
        /// The frame as received.
        frame: String,
        /// fx, fy, ppx, ppy \[pixel\].
        intrinsics: [f32; 4],
    },
    /// New parameters; read-only ones keep their values.
    ParametersChanged(Params),
}

/// Outputs of the node.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // outputs are executed one by one, never stored
pub enum ChairOutput {
    /// An output of the remote.
    Remote(Output),
    /// The state changed.
    PublishState(State),
    /// The occupant's stick as a velocity.
    PublishOccupant(Command),
    /// The position of the chair.
    PublishOdometry(Estimate),
    /// The inertial measurement, with its stamp.
    PublishImu(Imu, Stamp),
    /// A camera's matrices.
    PublishCamera {
        /// The camera.
        side: Side,
        /// The stamp of the original message.
        stamp: Stamp,
        /// The frame of the original message.
        frame: String,
        /// The matrices.
        matrices: CameraMatrices,
    },
}

/// The position of a camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Side {
    /// Left camera.
    Left = 0,
    /// Right camera.
    Right = 1,
    /// Rear camera.
    Rear = 2,
}

/// The node: the [`Remote`], the [`Odometry`], the occupant's stick as a velocity, and LUCI's other messages as
/// standard ones.
///
/// Commands are published before information. Of information only the newest is kept.
/// # Real-time
/// As [`Remote`] and [`Odometry`]; a camera's frame is a string on the heap.
#[derive(Clone, Debug)]
pub struct Chair {
    remote: Remote,
    odometry: Odometry,
    occupant: Occupant,
    acceleration_unit: f64,
    now: Instant,
    published: Option<State>,
    imu: Option<(Imu, Stamp)>,
    cameras: [Option<(Stamp, String, CameraMatrices)>; 3],
    bad_camera: Option<(Side, BadCamera)>,
    unknown_sticks: u64,
    incomplete_imus: u64,
    invalid_cameras: u64,
}

impl Side {
    /// All cameras.
    pub const ALL: [Self; 3] = [Self::Left, Self::Right, Self::Rear];

    /// The name in LUCI's topics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
            Self::Rear => "rear",
        }
    }
}

impl Chair {
    /// A node that drives nothing until it is activated.
    pub fn new(params: &Params) -> Self {
        Self {
            remote: Remote::new(params.remote.clone()),
            odometry: Odometry::new(params.odometry),
            occupant: Occupant::default(),
            acceleration_unit: params.acceleration_unit,
            now: Instant::ZERO,
            published: None,
            imu: None,
            cameras: [None, None, None],
            bad_camera: None,
            unknown_sticks: 0,
            incomplete_imus: 0,
            invalid_cameras: 0,
        }
    }

    /// The remote, which drives.
    pub fn remote(&self) -> &Remote {
        &self.remote
    }

    /// The odometry.
    pub fn odometry(&self) -> &Odometry {
        &self.odometry
    }

    /// The health of the node and the reason: the remote comes first; the other parts can only make it a warning.
    pub fn health(&self) -> (Level, String) {
        let (level, text) = self.remote.health();
        let (odometry, why) = self.odometry.health();
        let has_trouble = odometry != Level::Ok && self.odometry.counters().messages > 0;
        if level == Level::Ok && has_trouble { (Level::Warn, why) } else { (level, text) }
    }

    /// Keys and values for `/diagnostics`, without those of the odometry.
    pub fn report(&self) -> Vec<(&'static str, String)> {
        let mut report = self.remote.report();
        if let Some((side, bad)) = self.bad_camera {
            report.push(("last invalid camera", format!("{}: {bad}", side.name())));
        }
        let numbers = [
            ("sticks without a velocity", self.unknown_sticks),
            ("incomplete imus", self.incomplete_imus),
            ("invalid cameras", self.invalid_cameras),
        ];
        report.extend(numbers.map(|(key, count)| (key, count.to_string())));
        report
    }

    fn receive_position(&mut self, fields: zones::Joystick) {
        let parsed = Joystick::parse(fields);
        let input = parsed.map_or_else(Input::FeedbackRefused, Input::PositionReceived);
        self.remote.handle(self.now, input);
        let clock = self.remote.clock();
        // A message that may have waited unread is not a current request.
        let is_fresh = clock.waited() < self.remote.params().feedback_timeout;
        let velocity = parsed.ok().filter(|_| is_fresh).and_then(|joystick| self.remote.velocity(&joystick));
        self.occupant.receive(self.now, clock.wall(), velocity);
        self.unknown_sticks += u64::from(velocity.is_none());
    }

    fn receive_imu(&mut self, fields: &ImuFields, stamp: Stamp) {
        let imu = imu(fields, self.acceleration_unit);
        let parts = [imu.orientation_covariance, imu.linear_acceleration_covariance];
        self.incomplete_imus += u64::from(parts.iter().any(|&[first, ..]| first < 0.0));
        self.imu = Some((imu, stamp));
    }

    fn receive_camera(&mut self, side: Side, stamp: Stamp, frame: String, intrinsics: [f32; 4]) {
        match camera(intrinsics) {
            Ok(matrices) => {
                if let Some(slot) = self.cameras.get_mut(side as usize) {
                    *slot = Some((stamp, frame, matrices));
                }
            }
            Err(bad) => {
                self.invalid_cameras += 1;
                self.bad_camera = Some((side, bad));
            }
        }
    }
}

impl Machine for Chair {
    type Input = ChairInput;
    type Output = ChairOutput;

    fn handle(&mut self, now: Instant, input: ChairInput) {
        self.now = self.now.max(now);
        match input {
            ChairInput::Remote(input) => self.remote.handle(self.now, input),
            ChairInput::PositionReceived(fields) => self.receive_position(fields),
            ChairInput::ScalingReceived(source) => {
                let input =
                    Source::numbered(source).map_or_else(Input::FeedbackRefused, Input::ScalingReceived);
                self.remote.handle(self.now, input);
            }
            ChairInput::EncodersReceived(encoders) => {
                self.odometry.handle(self.now, OdometryInput::EncodersReceived(encoders));
            }
            ChairInput::ImuReceived(fields, stamp) => self.receive_imu(&fields, stamp),
            ChairInput::CameraReceived { side, stamp, frame, intrinsics } => {
                self.receive_camera(side, stamp, frame, intrinsics);
            }
            ChairInput::ParametersChanged(params) => {
                self.acceleration_unit = params.acceleration_unit;
                self.odometry.handle(self.now, OdometryInput::ParametersChanged(params.odometry));
                self.remote.handle(self.now, Input::ParametersChanged(params.remote));
            }
        }
    }

    fn poll(&mut self, now: Instant) -> Option<ChairOutput> {
        self.now = self.now.max(now);
        if let Some(output) = self.remote.poll(self.now) {
            return Some(ChairOutput::Remote(output));
        }
        let state = self.remote.state();
        if self.published != Some(state) {
            self.published = Some(state);
            return Some(ChairOutput::PublishState(state));
        }
        if let Some(command) = self.occupant.poll(self.now, self.remote.params().feedback_timeout) {
            return Some(ChairOutput::PublishOccupant(command));
        }
        if let Some(estimate) = self.odometry.poll(self.now) {
            return Some(ChairOutput::PublishOdometry(estimate));
        }
        if let Some((imu, stamp)) = self.imu.take() {
            return Some(ChairOutput::PublishImu(imu, stamp));
        }
        let mut cameras = Side::ALL.iter().zip(&mut self.cameras);
        cameras.find_map(|(&side, slot)| {
            let (stamp, frame, matrices) = slot.take()?;
            Some(ChairOutput::PublishCamera { side, stamp, frame, matrices })
        })
    }

    fn read_again(&mut self, now: Instant, since: Instant, due: Instant) {
        self.now = self.now.max(now);
        self.remote.read_again(self.now, since, due);
    }

    fn asks_for_motion(input: &ChairInput) -> bool {
        matches!(input, ChairInput::Remote(Input::CommandReceived(command)) if !command.velocity.is_neutral())
    }

    fn backlog(output: &ChairOutput) -> Backlog {
        match output {
            ChairOutput::Remote(output) => Remote::backlog(output),
            ChairOutput::PublishState(_) => Backlog::Each, // the last one ends the calls of the services
            ChairOutput::PublishOccupant(_)
            | ChairOutput::PublishOdometry(_)
            | ChairOutput::PublishImu(..)
            | ChairOutput::PublishCamera { .. } => Backlog::Recent,
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let is_due = self.imu.is_some() || self.cameras.iter().any(Option::is_some);
        let published = (is_due || self.published != Some(self.remote.state())).then_some(self.now);
        let occupant = self.occupant.deadline(self.now, self.remote.params().feedback_timeout);
        let ours = earliest(published, earliest(occupant, self.odometry.deadline()));
        earliest(self.remote.deadline(), ours)
    }
}

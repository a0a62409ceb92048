/// The next act, as one word for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Act {
    /// Start a node, or what publishes a topic.
    Start,
    /// Release the emergency stop.
    Release,
    /// End a publisher too many.
    EndPublisher,
    /// Repair or connect a device.
    Repair,
    /// Press the reset button and release it.
    Reset,
    /// Activate a node, or the mode of a chair.
    Activate,
    /// Switch enable on, off before that if it is on.
    Enable,
    /// Wait.
    Wait,
    /// Let the stick go once, or send a zero.
    LetGo,
    /// Hold, or press, the button that enables the stick.
    Hold,
    /// Push the stick, or give the source a goal.
    Push,
    /// Drive another way, or clear the way.
    Clear,
    /// Open a lock.
    Open,
    /// Let a source of higher priority end.
    Yield,
    /// Synchronize clocks.
    Synchronize,
    /// Correct a parameter, or what a publisher sends.
    Correct,
    /// None: the vehicle moves.
    Nothing,
}

/// Who does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Actor {
    /// The person who drives, with stick and switches.
    Operator,
    /// Who sends the commands of a program, or starts it.
    Command,
    /// Who configures the vehicle.
    Configuration,
}

/// The row of one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The rank: the least is shown.
    pub rank: u8,
    /// The name for programs.
    pub name: &'static str,
    /// The next act.
    pub act: Act,
    /// Who does it.
    pub actor: Actor,
    /// The sentence, with `{0}`, `{1}` and `{2}` for names.
    pub text: &'static str,
    /// The sentence if a name is missing.
    pub without: &'static str,
}

macro_rules! words {
    ($type:ident: $($name:ident $word:literal),+ $(,)?) => {
        impl $type {
            /// The word in topics.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word),+
                }
            }
        }
    };
}

words! { Act:
    Start "start", Release "release the e-stop", EndPublisher "end a publisher", Repair "repair", Reset "reset",
    Activate "activate", Enable "enable", Wait "wait", LetGo "let go", Hold "hold the button", Push "push",
    Clear "clear the way", Open "open the lock", Yield "let the other end", Synchronize "synchronize clocks",
    Correct "correct", Nothing "nothing",
}

words! { Actor: Operator "operator", Command "command", Configuration "configuration" }

macro_rules! without {
    ($text:literal) => {
        $text
    };
    ($text:literal $without:literal) => {
        $without
    };
}

macro_rules! codes {
    ($($rank:literal { $($code:ident: $name:literal, $act:ident by $actor:ident, $text:literal $(or $without:literal)?;)+ })+) => {
        /// A reason why the vehicle stands, or that it moves: the table, by rank, and within a rank the one to resolve first.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Code {
            $($(#[doc = $text] $code,)+)+
        }

        impl Code {
            /// All reasons, in the order of the table.
            pub const ALL: &[Self] = &[$($(Self::$code),+),+];

            /// The table's row.
            pub const fn row(self) -> Row {
                match self {
                    $($(Self::$code => Row {
                        rank: $rank,
                        name: $name,
                        act: Act::$act,
                        actor: Actor::$actor,
                        text: $text,
                        without: without!($text $($without)?),
                    },)+)+
                }
            }
        }
    };
}

codes! {
    1 {
        GateSilent: "GATE_SILENT", Start by Configuration,
            "{0} is silent. End it if it hangs, then start it again."
            or "The last gate is silent. End it if it hangs, then start hindbrain, steersman or chair.";
    }
    2 {
        EstopPressed: "ESTOP_PRESSED", Release by Operator, "The e-stop is pressed. Release it.";
        EstopConflict: "ESTOP_CONFLICT", EndPublisher by Configuration,
            "Two nodes publish {0}: {1} and {2}. End one, or wait 20 s if it was killed."
            or "hind/estop has not one publisher that fits. Leave one of std_msgs/Bool, reliable.";
        EstopStale: "ESTOP_STALE", Start by Configuration,
            "The e-stop is silent. Let its publisher repeat true or false on hind/estop.";
        DeviceLost: "DEVICE_LOST", Repair by Configuration,
            "The motor controller is lost. Check its cable and its power.";
    }
    3 {
        ResetConflict: "RESET_CONFLICT", EndPublisher by Configuration,
            "Two nodes publish {0}: {1} and {2}. End one, or wait 20 s if it was killed."
            or "hind/reset has not one publisher that fits, so no press counts. Leave one of std_msgs/Bool, reliable.";
        ResetHeld: "RESET_HELD", Reset by Operator,
            "Reset was pressed too early. Release it, then press and release it again.";
        EstopLatched: "ESTOP_LATCHED", Reset by Operator, "An emergency stop is latched. Press and release reset.";
        Overrun: "OVERRUN", Reset by Operator,
            "The motors were not supervised in time. Press and release reset.";
        FaultLatched: "FAULT_LATCHED", Reset by Operator, "A fault is latched. Press and release reset.";
    }
    4 {
        Stopping: "STOPPING", Start by Configuration, "{0} is ending. Start it again."
            or "The last gate is ending. Start it again.";
        Inactive: "INACTIVE", Activate by Configuration, "The node {0} is not active. Activate it."
            or "The last gate is not active. Activate it.";
        MotorConflict: "MOTOR_CONFLICT", EndPublisher by Configuration,
            "Another node publishes {0}. End it, wait 20 s if it was killed, or start it in a namespace of its own."
            or "Another node publishes the motors. End it, wait 20 s if it was killed, or start it in a namespace of its own.";
        ChairConflict: "CHAIR_CONFLICT", EndPublisher by Configuration,
            "The topics of the chair have more than one publisher. End the others, or wait 20 s if they were killed.";
        EnableConflict: "ENABLE_CONFLICT", EndPublisher by Configuration,
            "Two nodes publish {0}: {1} and {2}. End one, or wait 20 s if it was killed."
            or "hind/enable has not one publisher that fits. Leave one of std_msgs/Bool, reliable.";
    }
    5 {
        LeaseLapsed: "LEASE_LAPSED", Enable by Operator,
            "hind/enable is no longer repeated. Let its publisher repeat it, and switch it off and on.";
        NotArmed: "NOT_ARMED", Enable by Operator, "Enable was on too early. Switch hind/enable off and on.";
        EnableSilent: "ENABLE_SILENT", Enable by Operator, "hind/enable is silent. Publish false, then true.";
        NotEnabled: "NOT_ENABLED", Enable by Operator, "The motors are not enabled. Switch hind/enable on.";
        ChairTaken: "CHAIR_TAKEN", Activate by Operator,
            "The chair was driven by {0} in between. Activate the remote mode again."
            or "The chair was driven by another in between. Activate the remote mode again.";
        ChairOff: "CHAIR_OFF", Activate by Operator, "The chair's remote mode is off. Call chair/activate.";
        ChairChanges: "CHAIR_CHANGES", Wait by Operator, "The chair enters or leaves its mode. Wait.";
        ChairElsewhere: "CHAIR_ELSEWHERE", Yield by Operator,
            "The chair is driven by {0}, and ignores this node. Let {0} end."
            or "The chair is driven by another, and ignores this node. Let that end.";
        ChairSilent: "CHAIR_SILENT", Start by Configuration,
            "The chair does not report its mode. Start LUCI's node, or check its topics.";
    }
    6 {
        DeviceUnready: "DEVICE_UNREADY", Repair by Configuration,
            "The motor controller is not open yet. Connect it, and check driver.device.";
        CmdConflict: "CMD_CONFLICT", EndPublisher by Configuration,
            "Two nodes publish {0}: {1} and {2}. End one, or wait 20 s if it was killed."
            or "{0} has not one publisher that fits. Leave one, of the right type, reliable, or wait 20 s if one was killed.";
        SensorSilent: "SENSOR_SILENT", Start by Configuration,
            "The infra-red sensor {0} is silent, and counts as blocked. Start it.";
        SensorInvalid: "SENSOR_INVALID", Correct by Configuration,
            "The infra-red sensor {0} sends no measurement, and counts as blocked. Correct it.";
        BothBlocked: "BOTH_BLOCKED", Clear by Operator, "Front and back are both blocked. Clear one of them.";
        MotorGap: "MOTOR_GAP", LetGo by Operator, "The motor values were interrupted. Let the stick go once.";
    }
    7 {
        StageStopping: "STAGE_STOPPING", Start by Configuration, "{0} is ending. Start it again.";
        StageInactive: "STAGE_INACTIVE", Activate by Configuration, "The node {0} is not active. Activate it.";
        SourceConflict: "SOURCE_CONFLICT", EndPublisher by Configuration,
            "The source {0} has not one publisher on {1}. Leave one that fits, or wait 20 s if one was killed.";
        CmdSilent: "CMD_SILENT", Start by Configuration,
            "{0} receives nothing on {1}. End {2}, and start it again."
            or "{0} receives nothing on {1}. Start what publishes it.";
        CmdUnfit: "CMD_UNFIT", Correct by Configuration,
            "{0} cannot receive {1}: best effort, or another type. Correct {2}."
            or "{0} cannot receive {1}: best effort, or another type. Correct its publisher.";
        CmdInvalid: "CMD_INVALID", Correct by Command, "{0} sends no valid command. Correct it, and let it send a zero.";
        CmdUnjudged: "CMD_UNJUDGED", Correct by Command,
            "{0} has a part that no zone judges. Send forward and turn only, after a zero.";
        CmdUndriven: "CMD_UNDRIVEN", Correct by Command,
            "{0} asks for {1}, which two driven sides cannot do. Send linear.x and angular.z."
            or "A part of {0} is not for two driven sides. Send linear.x and angular.z.";
        CmdTooOld: "CMD_TOO_OLD", Synchronize by Command,
            "The commands of {0} are too old. Synchronize the clocks, or send them sooner.";
        CmdAhead: "CMD_AHEAD", Synchronize by Command, "The commands of {0} are from the future. Synchronize the clocks.";
        LockConflict: "LOCK_CONFLICT", EndPublisher by Configuration,
            "The lock {0} has not one publisher that fits, and holds back {1}. Leave one, or wait 20 s after a kill.";
        LockSilent: "LOCK_SILENT", Start by Configuration,
            "The lock {0} is silent and holds back {1}. Start its publisher.";
        LockClosed: "LOCK_CLOSED", Open by Operator, "The lock {0} is closed and holds back {1}. Open it.";
        ClockStands: "CLOCK_STANDS", Start by Configuration,
            "The simulated time does not run, so no stamp counts. Let one node publish /clock, without jumps.";
        ScalingConflict: "SCALING_CONFLICT", EndPublisher by Configuration,
            "The zones have more than one publisher of {0}. End the others, or wait 20 s if they were killed.";
        ScalingMissing: "SCALING_MISSING", Start by Configuration,
            "The zones are not known: {0} is silent. Start surround or the chair.";
        ScalingStale: "SCALING_STALE", Start by Configuration,
            "The zones are too old: {0} fell silent. Start its publisher again.";
        ScalingInvalid: "SCALING_INVALID", Correct by Configuration,
            "The zones hold values that are not factors. Correct what publishes {0}, then let go once.";
        ProfileUnknown: "PROFILE_UNKNOWN", Correct by Configuration,
            "The chair's profile is not known to {0}. Describe it, or select another on the chair.";
        Predicts: "PREDICTS", Correct by Configuration, "{0} only predicts and commands nothing. Set another mode.";
        StickEarly: "STICK_EARLY", LetGo by Operator, "The stick was pushed too early. Let it go once.";
        WaitsForZero: "WAITS_FOR_ZERO", LetGo by Command,
            "{0} asked for motion too early. Let it send a zero once."
            or "Motion was asked for too early. Send a zero once.";
        WaitsForNext: "WAITS_FOR_NEXT", Push by Command, "{0} has the turn from its next command on. Let it send one.";
        Outranked: "OUTRANKED", Yield by Operator, "{0} drives, asks for nothing and outranks {1}. Let {0} end.";
        ZonesBlocked: "ZONES_BLOCKED", Clear by Operator,
            "All zones are blocked. Clear the way, or look at the status of what publishes {0}.";
        ZoneBlocked: "ZONE_BLOCKED", Clear by Operator,
            "The zone {0} is blocked. Drive another way, or clear it.";
        WayBlocked: "WAY_BLOCKED", Clear by Operator,
            "The {0} is blocked. Drive straight away from it, or clear it.";
        DeadBand: "DEAD_BAND", Push by Operator,
            "{0} asks for less than 0.02 m/s and 0.05 rad/s, which is a zero. Push further.";
        TooSlow: "TOO_SLOW", Push by Operator, "{0} asks for less than the motors can do. Push further.";
        Starts: "STARTS", Wait by Operator, "The motors start slowly. Wait, or raise hindbrain.accel.";
        StageHolds: "STAGE_HOLDS", Correct by Configuration,
            "{0} lets no motion through. Look at its status in /diagnostics.";
    }
    8 {
        SourceUnfit: "SOURCE_UNFIT", Correct by Configuration,
            "Nobody drives: {0} on {1} is best effort or of another type. Correct {2}."
            or "Nobody drives: {0} on {1} is best effort or of another type. Correct its publisher.";
        ReadingLost: "READING_LOST", Repair by Operator, "No joystick can be read. Unplug the one that blocks.";
        DeadManAgain: "DEAD_MAN_AGAIN", Hold by Operator,
            "Nobody drives: {0} of {1} was down too early. Release it, then press it.";
        DeadMan: "DEAD_MAN", Hold by Operator,
            "Nobody drives: the dead-man button is up. Hold {0} of {1}.";
        DeadManToggle: "DEAD_MAN_TOGGLE", Hold by Operator,
            "Nobody drives: the stick is switched off. Press {0} of {1}.";
        Unmapped: "UNMAPPED", Correct by Configuration, "Nobody drives: no axis of {0} is mapped. Set linear.x.axis.";
        MissingInputs: "MISSING_INPUTS", Correct by Configuration,
            "Nobody drives: {0} lacks inputs that are mapped. Correct the mapping.";
        AtRest: "AT_REST", Push by Operator, "{0} asks for nothing. Push the stick.";
        SourceAtRest: "SOURCE_AT_REST", Push by Command, "{0} asks for nothing. Give it a goal.";
        StickSilent: "STICK_SILENT", Start by Command,
            "Nobody drives: {0} is silent on {1}. End {2}, and start it again."
            or "Nobody drives: the stick {0} is silent on {1}. Start its node.";
        SourceSilent: "SOURCE_SILENT", Start by Command,
            "Nobody drives: {0} is silent on {1}. Start it, or give it a goal.";
        NoDevice: "NO_DEVICE", Repair by Operator, "Nobody drives: no joystick is connected. Connect one.";
        DeviceAwaited: "DEVICE_AWAITED", Repair by Operator,
            "Nobody drives: the joystick {0} is not connected. Connect it, or set control_device.";
        NoCommand: "NO_COMMAND", Start by Command, "Nobody drives: {0} asks for nothing. Start a source of commands.";
    }
    9 {
        NoMotorNode: "NO_MOTOR_NODE", Start by Configuration,
            "No node subscribes to {0}, so nothing moves. Start what obeys it.";
    }
    10 {
        ZoneLimits: "ZONE_LIMITS", Clear by Operator,
            "It moves, slowed down by the zone {0}. Drive another way to be faster.";
        TopSpeed: "TOP_SPEED", Correct by Configuration,
            "It moves at the top speed of {0}, which is less than asked for. Raise max_linear or max_angular to be faster.";
    }
    11 {
        Moves: "MOVES", Nothing by Operator, "It moves as {0} asks. Let go to stop."
            or "It moves. Let go to stop.";
    }
}

impl Code {
    /// The code of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.row().name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_its_ranks() {
        assert!(Code::ALL.is_sorted_by_key(|code| code.row().rank));
        assert!(Code::ALL.iter().all(|&code| Code::named(code.row().name) == Some(code)));
    }

    #[test]
    fn each_text_is_what_is_and_what_to_do_next() {
        for code in Code::ALL {
            let Row { text, without, .. } = code.row();
            for text in [text, without] {
                assert!(text.ends_with('.') && text.matches(". ").count() == 1, "{text}");
            }
            assert!(!without.contains("{1}") || without == text || !without.contains("{2}"), "{without}");
        }
    }
}

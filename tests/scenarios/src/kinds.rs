use crate::change::{ARBITER, HINDBRAIN, JOYSTICK, LIMITS, ZONES, changes};
use crate::{
    DeviceFault, Driver, Effect, Ending, Fault, Nonsense, Payload, PrioritySource, Process, Second, Setup,
    Topic,
};

/// Each kind of fault while `driver` drives, on each topic, parameter and process; rates and other values are drawn later.
pub(crate) fn kinds(driver: Driver, setup: Setup) -> Vec<Fault> {
    let (rate, share, second) = (1.0, 0.5, Second::Alike);
    let mut kinds = vec![
        Fault::EstopPressed { rate, share },
        Fault::EstopSilent,
        Fault::EnableFalse,
        Fault::EnableFlickers { rate, share },
        Fault::SecondSwitchOff { second, rate },
        Fault::ResetJammed,
        Fault::Inactive { process: Process::Hindbrain },
        Fault::Infrared { starboard: false, rate, share, invalid: false },
        Fault::Infrared { starboard: false, rate, share, invalid: true },
        Fault::InfraredSilent { starboard: false },
        Fault::InfraredRepeated { starboard: false },
    ];
    let lacks = [DeviceFault::Plug, DeviceFault::Answers, DeviceFault::Sense, DeviceFault::Health];
    kinds.extend(lacks.map(|lack| Fault::DeviceLost { lack }));
    if driver != Driver::Stick {
        kinds.extend([false, true].map(|gone| Fault::CommandSilent { gone }));
        kinds.extend([false, true].map(|huge| Fault::CommandNonsense { huge }));
        // Away from both edges, where the transport delay decides.
        let stamps = [-5_000, -200, -50, 0, 200, 600, 60_000];
        kinds.extend(stamps.map(|behind| Fault::CommandStamps { behind }));
        kinds.extend([Fault::CommandRepeated, Fault::LinkCut]);
    }
    let of = |topic| Fault::SecondPublisher { topic, second, says: Payload::Nothing };
    kinds.extend(topics(driver, setup).into_iter().map(of));
    kinds.extend(holds(setup));
    kinds.extend(changes(Process::Hindbrain, HINDBRAIN));
    if setup != Setup::Hindbrain {
        kinds.extend(of_chain(driver));
    }
    kinds
}

/// The topics on which a second publisher may appear.
fn topics(driver: Driver, setup: Setup) -> Vec<Topic> {
    let mut topics =
        vec![Topic::Command, Topic::Enable, Topic::Estop, Topic::Reset, Topic::Port, Topic::Starboard];
    if setup != Setup::Hindbrain {
        let of_driver = match driver {
            Driver::Navigation => Topic::Source,
            Driver::Stick => Topic::Stick,
            Driver::Reference => Topic::Reference,
        };
        topics.extend([Topic::Lock, Topic::Scaling, Topic::Profile, of_driver]);
    }
    // In one process the topics between two stages are not subscribed to.
    if setup == Setup::Apart {
        topics.push(Topic::Arbitrated);
    }
    topics
}

fn holds(setup: Setup) -> Vec<Fault> {
    let of = |process| move |millis| Fault::Held { process, millis };
    let mut holds = [10, 40, 90, 450, 800, 3_000].map(of(Process::Hindbrain)).to_vec();
    if setup == Setup::Apart {
        for process in [Process::Joystick, Process::Arbiter, Process::Zones] {
            // Away from the edge at 0.5 s.
            holds.extend([40, 90, 1_200].map(of(process)));
        }
    }
    holds
}

/// The faults of sources, locks, zones and the stick.
fn of_chain(driver: Driver) -> Vec<Fault> {
    let (rate, share, nonsense) = (1.0, 0.5, Nonsense::NaN);
    let mut kinds = vec![
        Fault::LockClosed,
        Fault::LockFlickers { rate, share },
        Fault::ScalingBlocked { rate, share },
        Fault::ScalingBlocked { rate, share: 1.0 },
        Fault::ScalingInvalid { ahead: true, nonsense, rate, share },
        Fault::ScalingInvalid { ahead: false, nonsense, rate, share },
        Fault::Rearmed { zone: true },
        Fault::Rearmed { zone: false },
        Fault::ProfileUnknown,
    ];
    let stages = [Process::Joystick, Process::Arbiter, Process::Zones];
    kinds.extend(stages.map(|process| Fault::Inactive { process }));
    kinds.extend([false, true].map(|gone| Fault::LockSilent { gone }));
    kinds.extend([false, true].map(|gone| Fault::ScalingSilent { gone }));
    kinds.extend(changes(Process::Zones, ZONES).chain(changes(Process::Arbiter, LIMITS)));
    let is_seen = |fault: &Fault| {
        let drives_on = matches!(fault, Fault::ParameterSet(change) if change.effect == Effect::DrivesOn);
        driver == Driver::Stick || drives_on
    };
    kinds.extend(changes(Process::Joystick, JOYSTICK).filter(is_seen));
    match driver {
        Driver::Stick => {
            kinds.extend([false, true].map(|gone| Fault::StickSilent { gone }));
            kinds.extend([Fault::StickUnplugged, Fault::ButtonLetGo]);
        }
        Driver::Navigation => {
            kinds.extend(changes(Process::Arbiter, ARBITER));
            for gap in [false, true] {
                for ends in [Ending::LetsGo, Ending::Silent] {
                    kinds.push(Fault::Takeover { by: PrioritySource::Dock, ends, gap });
                }
                for ends in [Ending::LetsGo, Ending::Silent, Ending::Unplugged] {
                    kinds.push(Fault::Takeover { by: PrioritySource::Stick, ends, gap });
                    kinds.push(Fault::Takeover { by: PrioritySource::StickAtRest, ends, gap });
                }
            }
        }
        Driver::Reference => {}
    }
    kinds
}

//! Why the chair stands, as `why` says it: each state that holds it back, and what to do.

use crate::bench;

use bench::{Bench, go, params, position};
use chair::{Input, Mode, Source};
use safety::{Command, NotFinite, PublisherCount, Stamp, Velocity};
use why::{Explain, choose};

/// The sentence after `acts` and a moment.
fn says(mut bench: Bench, acts: impl FnOnce(&mut Bench)) -> String {
    acts(&mut bench);
    bench.pass(100);
    choose(&[bench.remote.explain()]).sentence()
}

#[test]
fn the_way_into_the_mode_is_named_act_by_act() {
    let mut bench = Bench::new(params(Mode::Shared));
    bench.answers = false;
    let mut says = |input: Option<Input>| {
        input.into_iter().for_each(|input| bench.on(input));
        bench.pass(100);
        choose(&[bench.remote.explain()]).sentence()
    };
    assert_eq!(says(None), "The chair's remote mode is off. Call chair/activate.");
    assert_eq!(says(Some(Input::Activated)), "The chair enters or leaves its mode. Wait.");
    assert_eq!(says(Some(Input::Deactivated)), "The chair enters or leaves its mode. Wait.");
    let mut bench = Bench::new(params(Mode::Shared));
    bench.feedback = Some(position(Source::SharedRemote));
    bench.on(Input::Activated);
    bench.pass(500);
    bench.command = Some(go(0.27, 0.0));
    let unknown = "The chair's profile is not known to chair. Describe it, or select another on the chair.";
    bench.pass(100);
    assert_eq!(choose(&[bench.remote.explain()]).sentence(), unknown);
    bench.on(Input::ProfileReceived(1));
    bench.pass(100);
    let early = "Motion was asked for too early. Send a zero once.";
    assert_eq!(choose(&[bench.remote.explain()]).sentence(), early);
    bench.on(go(0.0, 0.0));
    bench.pass(100);
    assert_eq!(choose(&[bench.remote.explain()]).sentence(), "It moves. Let go to stop.");
}

#[test]
fn each_stop_of_a_chair_that_drives_has_its_sentence() {
    let two = || PublisherCount::of(2);
    let from = |source| move |bench: &mut Bench| bench.feedback = Some(position(source));
    let sent = |input: Input| {
        move |bench: &mut Bench| {
            bench.command = None;
            bench.on(input);
        }
    };
    assert_eq!(says(Bench::active(), |_| ()), "It moves. Let go to stop.");
    assert_eq!(
        says(Bench::active(), |bench| bench.command = Some(go(0.0, 0.0))),
        "Nobody drives: chair asks for nothing. Start a source of commands."
    );
    assert_eq!(
        says(Bench::active(), from(Source::ChairPhysical)),
        "The chair is driven by chair physical, and ignores this node. Let chair physical end."
    );
    let taken = |bench: &mut Bench| {
        from(Source::ChairPhysical)(bench);
        bench.pass(100);
        from(Source::SharedRemote)(bench);
        bench.pass(1000);
    };
    assert_eq!(
        says(Bench::active(), taken),
        "The chair was driven by chair physical in between. Activate the remote mode again."
    );
    let silent = |bench: &mut Bench| {
        bench.feedback = None;
        bench.pass(1000);
    };
    assert_eq!(
        says(Bench::active(), silent),
        "The chair does not report its mode. Start LUCI's node, or check its topics."
    );
    let lost = |bench: &mut Bench| {
        bench.command = None;
        bench.pass(1000);
    };
    assert_eq!(says(Bench::active(), lost), "chair receives nothing on cmd_vel. Start what publishes it.");
    let unfit = PublisherCount::Known { compatible: 0, incompatible: 1 };
    assert_eq!(
        says(Bench::active(), |bench| {
            bench.on(Input::PublishersCounted(unfit));
            lost(bench);
        }),
        "chair cannot receive cmd_vel: best effort, or another type. Correct its publisher."
    );
    let refused = NotFinite { part: "linear.x", value: f64::NAN };
    assert_eq!(
        says(Bench::active(), sent(Input::CommandRefused(refused))),
        "cmd_vel sends no valid command. Correct it, and let it send a zero."
    );
    let too_old = "The commands of cmd_vel are too old. Synchronize the clocks, or send them sooner.";
    let ahead = "The commands of cmd_vel are from the future. Synchronize the clocks.";
    for (stamp, sentence) in [(940, too_old), (4600, ahead)] {
        let [now, stamp] = [1000, stamp].map(|sec| Stamp { sec, nanosec: 0 });
        let stamped = |bench: &mut Bench| {
            bench.on(Input::ClockRead(now.into()));
            bench.command = None;
            bench.pass(500);
            let velocity = Velocity::planar(0.27, 0.0).unwrap_or_default();
            bench.on(Input::CommandReceived(Command::new(velocity, stamp)));
        };
        assert_eq!(says(Bench::active(), stamped), sentence);
    }
    assert_eq!(
        says(Bench::active(), sent(Input::PublishersCounted(two()))),
        "cmd_vel has not one publisher that fits. Leave one, of the right type, reliable, or wait 20 s if one was killed."
    );
    assert_eq!(
        says(Bench::active(), |bench| bench.on(Input::StickPublishersCounted(two()))),
        "Another node publishes luci/remote_joystick. End it, wait 20 s if it was killed, or start it in a namespace of its own."
    );
    for count in [Input::PositionPublishersCounted(two()), Input::ProfilePublishersCounted(two())] {
        assert_eq!(
            says(Bench::active(), |bench| bench.on(count)),
            "The topics of the chair have more than one publisher. End the others, or wait 20 s if they were killed."
        );
    }
    assert_eq!(
        says(Bench::active(), |bench| bench.on(Input::ActivityChanged(false))),
        "The node chair is not active. Activate it."
    );
    assert_eq!(says(Bench::active(), |bench| bench.on(Input::Stopping)), "chair is ending. Start it again.");
}

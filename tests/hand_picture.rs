//! The picture of the hand on the page of `haptix`: its contact sensors and inertial units by their numbers in a reading, and the
//! forces while it holds the ball of `config/hand.yaml`. It is drawn from the node's own hand.
#![allow(clippy::expect_used)] // a failed expectation is an error of the test's set-up

use std::fmt::Write;
use std::fs;
use std::time::Duration;

use haptix::{AnalyticHand, Device, GraspValue, Model, Params, Posture, Sensor, Shape, Skeleton};
use tests::{bless, root};

const WIDTH: u32 = 800;
const HEIGHT: u32 = 430;
/// Pixels of a metre.
const SCALE: f64 = 1550.0;
/// Where the wrist is in each view.
const WRIST: [[f64; 2]; 2] = [[125.0, 400.0], [490.0, 400.0]];
/// Left edges of names and of bars.
const NAMES: f64 = 565.0;
const BARS: f64 = 690.0;
/// From line to line.
const LINE: f64 = 17.0;
/// Pixels of a newton.
const NEWTON: f64 = 7.5;
const TEXT: &str = "#222222";
const BONE: &str = "#7a8794";
const FREE: &str = "#ffffff";
const TOUCHED: &str = "#f4b942";
const UNIT: &str = "#8fd0c4";
/// The grasp with which the hand holds the ball.
const GRASP: (&str, f32) = ("Cylindrical", 0.5);

/// The hand of `config/hand.yaml`: its parts, its reading at the start, its reading while it holds the ball.
struct Hand {
    model: Model,
    ball: ([f64; 3], f64),
    open: Sensor,
    closed: Sensor,
}

impl Hand {
    fn read() -> Self {
        let text = fs::read_to_string(root().join("config/hand.yaml")).expect("a file");
        let values = params::file::read(&text).expect("parameters").remove(0).values;
        let set = haptix::specification().resolve(values).expect("parameters of haptix");
        let model = Model::builtin(&haptix::device(&set)).expect("a device");
        let params = Params::read(&set, &model.constants.description, model.constants.info.update_rate)
            .expect("a hand");
        let objects = params.settings.simulation.objects;
        let ball = objects.iter().flatten().find_map(|object| match object.shape {
            Shape::Sphere { center, radius } => Some((center.into(), radius)),
            _ => None,
        });
        let mut hand = AnalyticHand::new(model.clone(), params.seed);
        hand.simulate(&params.settings.simulation).expect("a simulated hand");
        let mut readings = [Sensor::default(); 2];
        hand.read(&mut readings[0]).expect("a reading");
        let mut setpoints = hand.constants().start;
        let grasp = GraspValue { name: GRASP.0.into(), value: GRASP.1 };
        for (motor, position) in hand.constants().grasps.positions(&[grasp]).expect("a grasp") {
            setpoints.ref_pos[motor] = position;
        }
        hand.command(&setpoints).expect("it answers");
        for _ in 0..2000 {
            hand.step(Duration::from_millis(1)).expect("it answers");
        }
        hand.read(&mut readings[1]).expect("a reading");
        let [open, closed] = readings;
        Self { model, ball: ball.expect("a ball"), open, closed }
    }
}

/// The palm with the thumb to the right, and from the thumb's side with the back of the hand to the right.
fn place(view: usize, [x, y, z]: [f64; 3]) -> [f64; 2] {
    let aside = if view == 0 { -y } else { x };
    [WRIST[view][0] + SCALE * aside, WRIST[view][1] - SCALE * z]
}

/// One decimal digit; never `-0.0`, which would depend on rounding.
fn number(value: f64) -> String {
    format!("{:.1}", (value * 10.0).round() / 10.0 + 0.0)
}

fn bones(text: &mut String, view: usize, posture: &Posture) {
    for bone in &posture.bones {
        let [[x1, y1], [x2, y2]] = bone.map(|end| place(view, end).map(number));
        let _ = writeln!(
            text,
            "<path d=\"M{x1} {y1} L{x2} {y2}\" stroke=\"{BONE}\" stroke-width=\"7\" stroke-linecap=\"round\"/>"
        );
    }
}

fn label(text: &mut String, [x, y]: [f64; 2], words: &str) {
    let (x, y) = (number(x), number(y + 3.5));
    let _ =
        writeln!(text, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" font-size=\"10\">{words}</text>");
}

fn disc(text: &mut String, [x, y]: [f64; 2], colour: &str, index: usize) {
    let (cx, cy) = (number(x), number(y));
    let _ = writeln!(text, "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"8\" fill=\"{colour}\" stroke=\"{TEXT}\"/>");
    label(text, [x, y], &index.to_string());
}

fn square(text: &mut String, [x, y]: [f64; 2], index: usize) {
    let (left, top) = (number(x - 7.0), number(y - 7.0));
    let _ = writeln!(
        text,
        "<rect x=\"{left}\" y=\"{top}\" width=\"14\" height=\"14\" fill=\"{UNIT}\" stroke=\"{TEXT}\"/>"
    );
    label(text, [x, y], &index.to_string());
}

fn words(text: &mut String, [x, y]: [f64; 2], weight: &str, words: &str) {
    let _ = writeln!(text, "<text x=\"{}\" y=\"{}\"{weight}>{words}</text>", number(x), number(y));
}

const BOLD: &str = " font-weight=\"bold\"";

fn picture(hand: &Hand) -> String {
    let skeleton = Skeleton::new(&hand.model);
    let (open, closed) = (skeleton.posture(&hand.open.joint_pos), skeleton.posture(&hand.closed.joint_pos));
    let names = &hand.model.constants.description;
    let (grasp, level) = GRASP;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         role=\"img\" font-family=\"sans-serif\" font-size=\"12\" fill=\"{TEXT}\">\n<title>The contact sensors and inertial units \
         of {}</title>\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"8\" fill=\"#ffffff\"/>\n",
        names.model_name,
    );
    words(&mut text, [20.0, 26.0], BOLD, "the palm, at the start");
    bones(&mut text, 0, &open);
    for (index, at) in open.contacts.iter().enumerate() {
        disc(&mut text, place(0, *at), FREE, index);
    }
    // The units lie behind the sensors of the finger tips: each is drawn beside its own place, further out.
    for (index, at) in open.imus.iter().enumerate() {
        let [x, y] = place(0, *at);
        square(&mut text, if index == 0 { [x + 16.0, y - 14.0] } else { [x, y - 21.0] }, index);
    }
    words(&mut text, [330.0, 26.0], BOLD, &format!("from the thumb, {grasp} {level:.1}"));
    let ([x, y], radius) = (place(1, hand.ball.0).map(number), number(hand.ball.1 * SCALE));
    let _ =
        writeln!(text, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"#d6e4f5\" stroke=\"#5b84b1\"/>");
    bones(&mut text, 1, &closed);
    for (index, at) in
        closed.contacts.iter().enumerate().filter(|(index, _)| hand.closed.contact[*index] > 0.0)
    {
        disc(&mut text, place(1, *at), TOUCHED, index);
    }
    words(&mut text, [NAMES, 26.0], BOLD, "contact sensors, N");
    let mut y = 28.0;
    for (index, name) in names.contact_names.iter().enumerate() {
        y += LINE;
        label(&mut text, [NAMES + 6.0, y - 3.5], &index.to_string());
        words(&mut text, [NAMES + 18.0, y], "", name);
        let force = f64::from(hand.closed.contact[index]);
        if force > 0.0 {
            let (width, top) = (number(force * NEWTON), number(y - 10.0));
            let _ = writeln!(
                text,
                "<rect x=\"{BARS}\" y=\"{top}\" width=\"{width}\" height=\"11\" fill=\"{TOUCHED}\"/>"
            );
            words(&mut text, [BARS + force * NEWTON + 5.0, y], "", &number(force));
        }
    }
    y += LINE + 6.0;
    words(&mut text, [NAMES, y], BOLD, "inertial units");
    let mut x = NAMES + 6.0;
    y += LINE;
    for (index, name) in names.imu_names.iter().enumerate() {
        square(&mut text, [x + 1.0, y - 3.5], index);
        words(&mut text, [x + 13.0, y], "", name);
        x += 73.0;
        if index == 2 {
            (x, y) = (NAMES + 6.0, y + LINE + 3.0);
        }
    }
    text.push_str("</svg>\n");
    text
}

#[test]
fn the_picture_of_the_hand_is_generated() {
    bless("crates/haptix/hand.svg", &picture(&Hand::read()));
}

#[test]
fn the_picture_shows_every_sensor_by_its_name_and_every_force() {
    let hand = Hand::read();
    let picture = picture(&hand);
    let names = &hand.model.constants.description;
    for name in names.contact_names.iter().chain(&names.imu_names) {
        assert!(picture.contains(&format!(">{name}</text>")), "{name}");
    }
    let touched = hand.closed.contact.iter().filter(|force| **force > 0.0).count();
    assert!(touched >= 5, "{touched}");
    // Those that are touched are drawn once more, with a bar each.
    assert_eq!(picture.matches(&format!("r=\"8\" fill=\"{TOUCHED}\"")).count(), touched);
    assert_eq!(picture.matches(&format!("height=\"11\" fill=\"{TOUCHED}\"")).count(), touched);
    assert_eq!(picture.matches(&format!("fill=\"{FREE}\" stroke")).count(), names.contact_names.len());
}

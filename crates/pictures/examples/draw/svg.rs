//! The zones as an SVG file, for documents.

use std::fmt::Write;

use pictures::{Colour, Snapshot};
use zones::{Stick, Zone};

const WIDTH: u32 = 680;
const HEIGHT: u32 = 420;
const CENTRE: [f64; 2] = [235.0, 210.0];
/// Radii of the two bands: outer, between, inner.
const BANDS: [f64; 3] = [135.0, 113.0, 91.0];
/// Length of an arrow of 100 percent: with both parts at 100 it ends at the inner radius.
const FULL: f64 = 64.0;
/// Left edge of the text.
const WORDS: f64 = 455.0;

/// The text of an SVG file of `snapshot`, 680 by 420, with straight ahead up.
///
/// Equal snapshots give equal texts. Each sector has its factors as numbers beside it; the limiting zone has a
/// thick edge.
/// # Source
/// own; W3C, SVG 1.1.
pub fn svg(snapshot: &Snapshot) -> String {
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} \
         {HEIGHT}\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\" fill=\"{}\">\n<title>What the zones \
         leave of a stick: {}, {}</title>\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"8\" fill=\"#ffffff\"/>\n",
        Colour::TEXT.hex(),
        snapshot.limit(),
        snapshot.reason,
    );
    // The limiting zone is drawn last, so its edge is above its neighbours'.
    let limits = |zone: &Zone| snapshot.limited_by == Some(*zone);
    let others = Zone::AROUND.into_iter().filter(|zone| !limits(zone));
    for zone in others.chain(Zone::AROUND.into_iter().filter(limits)) {
        sector(&mut text, snapshot, zone);
    }
    Zone::AROUND.into_iter().for_each(|zone| label(&mut text, snapshot, zone));
    let [requested, granted] = snapshot.sticks();
    arrow(&mut text, requested, Colour::REQUESTED, 7.0);
    arrow(&mut text, granted, Colour::GRANTED, 4.0);
    words(&mut text, snapshot);
    text.push_str("</svg>\n");
    text
}

fn sector(text: &mut String, snapshot: &Snapshot, zone: Zone) {
    let sector = snapshot.sector(zone);
    let colours = Colour::bands(snapshot.scaling.of(zone), snapshot.reason);
    for (colour, [outer, inner]) in colours.into_iter().zip([[BANDS[0], BANDS[1]], [BANDS[1], BANDS[2]]]) {
        let path = ring(sector.from, sector.to, outer, inner);
        let _ = writeln!(text, "<path d=\"{path}\" fill=\"{}\" stroke=\"#ffffff\"/>", colour.hex());
    }
    if snapshot.limited_by == Some(zone) {
        let path = ring(sector.from, sector.to, BANDS[0], BANDS[2]);
        let colour = Colour::TEXT.hex();
        let _ = writeln!(text, "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"3\"/>");
    }
}

/// A piece of a ring between two directions \[degrees\] and two radii.
fn ring(from: f64, to: f64, outer: f64, inner: f64) -> String {
    let large = u8::from(to - from > 180.0);
    let [a, b] = [from, to].map(|direction| pair(around(direction, outer)));
    let [c, d] = [to, from].map(|direction| pair(around(direction, inner)));
    format!("M{a} A{outer} {outer} 0 {large} 1 {b} L{c} A{inner} {inner} 0 {large} 0 {d} Z")
}

fn label(text: &mut String, snapshot: &Snapshot, zone: Zone) {
    let middle = snapshot.sector(zone).middle();
    let [x, y] = around(middle, BANDS[0] + 12.0);
    let anchor = match x - CENTRE[0] {
        aside if aside > 30.0 => "start",
        aside if aside < -30.0 => "end",
        _ => "middle",
    };
    // Two lines: above the ring they end at the point, below it they start there, beside it they are centred on it.
    let up = (CENTRE[1] - y) / (BANDS[0] + 12.0);
    let first = y - 2.0 - 12.0 * up;
    let factors = snapshot.scaling.of(zone);
    let line = |y, weight, words: &str| {
        format!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\"{weight}>{words}</text>\n",
            number(x),
            number(y)
        )
    };
    text.push_str(&line(first, " font-weight=\"bold\"", &zone.to_string()));
    let numbers = format!("{:.2} / {:.2}", factors.forward_back.get() + 0.0, factors.left_right.get() + 0.0);
    text.push_str(&line(first + 14.0, "", &numbers));
}

fn arrow(text: &mut String, stick: Stick, colour: Colour, width: f64) {
    let colour = colour.hex();
    let [x, y] = [FULL * stick.left_right / 100.0, -FULL * stick.forward_back / 100.0];
    let length = x.hypot(y);
    if length < 0.5 {
        let [x, y] = CENTRE.map(number);
        let _ = writeln!(text, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\" fill=\"{colour}\"/>", number(width));
        return;
    }
    let [ahead_x, ahead_y] = [x / length, y / length];
    let head = (width + 5.0).min(length);
    let from_centre = |ahead: f64, aside: f64| {
        pair([CENTRE[0] + ahead * ahead_x - aside * ahead_y, CENTRE[1] + ahead * ahead_y + aside * ahead_x])
    };
    let (neck, half) = (length - head, width / 2.0);
    let outline = [
        (0.0, half),
        (neck, half),
        (neck, half + 4.0),
        (length, 0.0),
        (neck, -half - 4.0),
        (neck, -half),
        (0.0, -half),
    ];
    let points = outline.map(|(ahead, aside)| from_centre(ahead, aside)).join(" ");
    let _ = writeln!(
        text,
        "<polygon points=\"{points}\" fill=\"{colour}\" stroke=\"#ffffff\" stroke-width=\"0.5\"/>"
    );
}

fn words(text: &mut String, snapshot: &Snapshot) {
    let [requested, granted] = snapshot.sticks();
    let whole = |part: f64| part.round() + 0.0; // no negative zero
    let stick = |stick: Stick| format!("{} / {}", whole(stick.forward_back), whole(stick.left_right));
    let mut y = 60.0;
    let mut line = |swatch: Option<String>, weight: &str, words: &str| {
        let (x, square_y) = (number(WORDS), number(y - 10.0));
        if let Some(colour) = swatch {
            let _ = writeln!(
                text,
                "<rect x=\"{x}\" y=\"{square_y}\" width=\"11\" height=\"11\" fill=\"{colour}\"/>"
            );
        }
        if !words.is_empty() {
            let (x, y) = (number(WORDS + 18.0), number(y));
            let _ = writeln!(text, "<text x=\"{x}\" y=\"{y}\"{weight}>{words}</text>");
        }
        y += 19.0;
    };
    let bold = " font-weight=\"bold\"";
    line(None, bold, &snapshot.limit());
    line(None, "", &snapshot.reason.to_string());
    line(None, "", &format!("stick in zone: {}", snapshot.zone));
    line(None, "", "");
    line(None, bold, "forward / right [percent]");
    line(Some(Colour::REQUESTED.hex()), "", &format!("requested {}", stick(requested)));
    line(Some(Colour::GRANTED.hex()), "", &format!("granted {}", stick(granted)));
    line(None, "", "");
    line(None, bold, "factors");
    line(None, "", "outer band: forward, back");
    line(None, "", "inner band: left, right");
    for (factor, words) in [(0.0, "0: blocked"), (0.5, "0.5"), (1.0, "1: free")] {
        line(Some(Colour::of(factor).hex()), "", words);
    }
    line(Some(Colour::UNKNOWN.hex()), "", "not known");
}

/// The point in a direction clockwise from straight up \[degrees\].
fn around(direction: f64, radius: f64) -> [f64; 2] {
    let (sin, cos) = direction.to_radians().sin_cos();
    [CENTRE[0] + radius * sin, CENTRE[1] - radius * cos]
}

fn pair(point: [f64; 2]) -> String {
    point.map(number).join(" ")
}

/// One decimal digit; never `-0.0`, which would depend on rounding.
fn number(value: f64) -> String {
    format!("{:.1}", (value * 10.0).round() / 10.0 + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_one_digit_and_no_negative_zero() {
        assert_eq!([1.25, -0.04, 0.06, -12.34].map(number), ["1.3", "0.0", "0.1", "-12.3"]);
    }

    #[test]
    fn straight_ahead_is_up_and_clockwise_is_to_the_right() {
        // The centre is at 235, 210.
        assert_eq!(pair(around(0.0, 100.0)), "235.0 110.0");
        assert_eq!(pair(around(90.0, 100.0)), "335.0 210.0");
        assert_eq!(pair(around(180.0, 100.0)), "235.0 310.0");
    }
}

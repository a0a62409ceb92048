use crate::Colour;
use crate::markers::{Marker, Shape, at, ring};

/// Bearings that count as blocked although nothing is measured there.
#[derive(Clone, Debug, PartialEq)]
pub struct Blind {
    /// From and to, counter-clockwise from straight ahead \[degrees\].
    pub bearings: [f64; 2],
    /// Why, in a few words.
    pub why: String,
}

/// The most sectors that are drawn.
const MOST: i32 = 16;
/// The width of the ring \[m\].
const WIDTH: f64 = 0.1;
const NAMESPACE: &str = "blocked";

/// Markers of `blind`, as pieces of a ring just outside of `radius` \[m\]: 0 to 15 the pieces, 16 to 31 their texts.
///
/// The picture of the [zones](crate::markers()) shows what is measured; this one what is missing.
/// # Source
/// own; `visualization_msgs/msg/Marker` (ROS 2 Jazzy).
pub fn blind_markers(blind: &[Blind], radius: f64) -> Vec<Marker> {
    let height = 0.07;
    let text = |direction: f64, text: &str| Shape::Text {
        at: at(direction, radius + WIDTH / 2.0, height),
        height,
        text: text.into(),
        colour: Colour::TEXT,
    };
    let piece = |id: i32| {
        // Clockwise, and a whole turn at most.
        let found = blind.get(usize::try_from(id).unwrap_or_default());
        let sector = found.map(|one| {
            let [from, to] = one.bearings;
            let width = if to - from >= 360.0 { 360.0 } else { (to - from).rem_euclid(360.0) };
            ([-from - width, -from], one.why.as_str())
        });
        let ([from, to], why) = sector.unwrap_or_default();
        let points: Vec<_> = ring([from, to], [radius + WIDTH, radius], 0.02).collect();
        let colours = vec![Colour::UNKNOWN.with_alpha(0.8); points.len()];
        let visible = found.is_some();
        let shapes = [(id, Shape::Triangles { points, colours }), (MOST + id, text((from + to) / 2.0, why))];
        shapes.map(|(id, shape)| Marker { visible, ..Marker::new(NAMESPACE, id, shape) })
    };
    (0..MOST).flat_map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(blind: &[Blind]) -> Vec<Marker> {
        let mut markers = blind_markers(blind, 0.5);
        assert_eq!(markers.len(), 32);
        markers.retain(|marker| marker.visible);
        markers
    }

    #[test]
    fn a_blind_sector_lies_where_its_bearings_are() {
        // To the left, counter-clockwise, is y.
        let left = Blind { bearings: [60.0, 120.0], why: "scanner is silent".into() };
        let rear = Blind { bearings: [170.0, -170.0], why: "no sensor".into() };
        let markers = shown(&[left, rear]);
        assert_eq!(markers.iter().map(|marker| marker.id).collect::<Vec<_>>(), [0, 16, 1, 17]);
        let Shape::Triangles { points, .. } = &markers[0].shape else { panic!("a sector") };
        assert!(points.iter().all(|[x, y, _]| x.abs() < 0.31 && *y > 0.24 && x.hypot(*y) < 0.601));
        let Shape::Text { at: [x, y, _], text, .. } = &markers[3].shape else { panic!("a text") };
        assert_eq!(text, "no sensor");
        assert!((x + 0.55).abs() < 1e-9 && y.abs() < 1e-9, "astern");
        // 20 degrees in pieces of 5.
        let Shape::Triangles { points, colours } = &markers[2].shape else { panic!("a sector") };
        assert_eq!((points.len(), colours.len()), (24, 24));
    }

    #[test]
    fn a_whole_turn_is_a_whole_ring_and_nothing_is_none() {
        let all = Blind { bearings: [-180.0, 180.0], why: "uncovered".into() };
        let markers = shown(&[all]);
        let Shape::Triangles { points, .. } = &markers[0].shape else { panic!("a sector") };
        assert_eq!(points.len(), 72 * 6);
        assert_eq!(shown(&[]), []);
    }
}

//! The least that anybody has to do with a stick, a scan or a cloud.

use surround::{Cloud, Scan};
use zones::Stick;

/// Each stick's direction, and both parts cut.
pub fn sticks(sticks: &[Stick]) -> f64 {
    let one = |stick: &Stick| stick.direction() + stick.forward_back.min(50.0) + stick.left_right.min(50.0);
    sticks.iter().map(one).sum()
}

/// Each beam as a point.
pub fn scan(scan: &Scan) -> f64 {
    let point = |(index, range): (usize, &f32)| {
        let (sin, cos) = (scan.angle_min + index as f64 * scan.angle_increment).sin_cos();
        f64::from(*range) * (sin + cos)
    };
    scan.ranges.iter().enumerate().map(point).sum()
}

/// Each point read and brought into another frame: nine products and sums.
pub fn cloud(cloud: &Cloud) -> f64 {
    const ROWS: [[f64; 3]; 3] = [[0.6, 0.1, 0.2], [0.3, 0.7, 0.1], [0.2, 0.3, 0.5]];
    let point = |bytes: &[u8]| {
        let parts = bytes.as_chunks::<4>().0;
        let part = |index: usize| parts.get(index).map_or(0.0, |part| f64::from(f32::from_le_bytes(*part)));
        let [x, y, z] = [part(0), part(1), part(2)];
        ROWS.map(|[a, b, c]| a * x + b * y + c * z + 0.5).iter().sum::<f64>()
    };
    cloud.data.chunks_exact(cloud.point_step as usize).map(point).sum()
}

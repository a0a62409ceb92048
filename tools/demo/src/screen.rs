use std::time::Duration;

use ratatui::Frame;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph};
use ros::{Stop, clock};
use safety::Instant;

use crate::children::Children;
use crate::error::Error;

/// Time from frame to frame.
const FRAME: Duration = Duration::from_millis(50);

/// Draws frames with `draw` and passes keys on to `press` until the user quits.
/// # Errors
/// A node ended, or the terminal cannot be used.
pub fn run(
    children: &mut Children,
    stop: &Stop,
    mut draw: impl FnMut(&mut Frame<'_>, Instant),
    mut press: impl FnMut(KeyCode),
) -> Result<(), Error> {
    let mut terminal = ratatui::try_init().map_err(Error::io("take over the terminal"))?;
    let _restored = Restored;
    while !stop.is_set() {
        if let Some(error) = children.ended() {
            return Err(error);
        }
        let now = clock::now();
        terminal.draw(|frame| draw(frame, now)).map_err(Error::io("draw the screen"))?;
        let frame_ends = now + FRAME;
        loop {
            let left = frame_ends.since(clock::now());
            if !event::poll(left).map_err(Error::io("wait for keys"))? {
                break;
            }
            match event::read().map_err(Error::io("read the keys"))? {
                Event::Key(key) if key.kind != KeyEventKind::Release => match pressed(&key) {
                    Some(KeyCode::Esc) => return Ok(()),
                    Some(code) => press(code),
                    None => {}
                },
                _ => {}
            }
        }
    }
    Ok(())
}

/// Restores the terminal when it is dropped; a panic does so by ratatui's own hook.
struct Restored;

impl Drop for Restored {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

/// The key of an event; letters are small, and Escape stands for all keys that quit. Ctrl-C is an ordinary key here, and quits. Others
/// with Ctrl mean nothing.
fn pressed(event: &KeyEvent) -> Option<KeyCode> {
    let control = event.modifiers.contains(KeyModifiers::CONTROL);
    match event.code {
        KeyCode::Char('c' | 'C') if control => Some(KeyCode::Esc),
        _ if control => None,
        KeyCode::Char('q' | 'Q') => Some(KeyCode::Esc),
        KeyCode::Char(letter) => Some(KeyCode::Char(letter.to_ascii_lowercase())),
        code => Some(code),
    }
}

/// The index that a digit stands for: that of `1` is 0.
pub fn index_of(key: KeyCode) -> Option<usize> {
    let KeyCode::Char(digit) = key else { return None };
    usize::try_from(digit.to_digit(10)?).ok()?.checked_sub(1)
}

/// Draws the keys below, and returns the areas above them: the rest, and so many lines.
pub fn above_keys(
    frame: &mut Frame<'_>,
    key_list: &[(&'static str, &'static str)],
    line_count: u16,
) -> [Rect; 2] {
    let keys = keys(key_list, frame.area().width);
    let key_lines = u16::try_from(keys.len()).unwrap_or(2);
    let heights = [Constraint::Min(0), Constraint::Length(line_count), Constraint::Length(key_lines)];
    let [above, lines, key_area] = Layout::vertical(heights).areas(frame.area());
    frame.render_widget(Paragraph::new(keys), key_area);
    [above, lines]
}

/// Frame around values, with the ROS domain for watching from another shell.
pub fn domain_block(domain: u8) -> Block<'static> {
    Block::bordered().title(format!(" Steersman, ROS domain {domain} "))
}

/// The keys and what they do, in as many lines as they need.
fn keys(keys: &[(&'static str, &'static str)], width: u16) -> Vec<Line<'static>> {
    let mut lines = vec![Line::default()];
    for &(key, text) in keys {
        let item = [Span::from(key).fg(Color::Cyan), Span::from(format!(" {text}  "))];
        let long = item.iter().map(Span::width).sum::<usize>();
        if lines.last().is_some_and(|line| line.width() + long > usize::from(width) + 2) {
            lines.push(Line::default());
        }
        if let Some(line) = lines.last_mut() {
            line.extend(item);
        }
    }
    lines
}

/// The name of a value, in its column.
pub fn label(text: &str) -> Span<'static> {
    Span::styled(format!("{text:<10}"), Style::new().fg(Color::Gray))
}

/// A line in bold.
pub fn bold(text: String) -> Line<'static> {
    Line::from(text).style(Style::new().bold())
}

/// The lines of a screen of this size, as text.
#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub fn drawn(width: u16, height: u16, draw: impl FnOnce(&mut Frame<'_>)) -> Vec<String> {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(draw).unwrap();
    let cells: Vec<&str> = terminal.backend().buffer().content().iter().map(|cell| cell.symbol()).collect();
    cells.chunks(usize::from(width)).map(|line| line.concat().trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meaning(code: KeyCode, modifiers: KeyModifiers) -> Option<KeyCode> {
        pressed(&KeyEvent::new(code, modifiers))
    }

    #[test]
    fn keys_mean_the_same_in_both_cases() {
        for letter in ['w', 'W'] {
            let meant = meaning(KeyCode::Char(letter), KeyModifiers::NONE);
            assert_eq!(meant, Some(KeyCode::Char('w')));
        }
        assert_eq!(meaning(KeyCode::Char('Q'), KeyModifiers::NONE), Some(KeyCode::Esc));
    }

    #[test]
    fn keys_with_control_do_not_drive() {
        assert_eq!(meaning(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(KeyCode::Esc));
        for code in ['w', 'a', 's', 'd', 'e', 'r', 't'] {
            assert_eq!(meaning(KeyCode::Char(code), KeyModifiers::CONTROL), None);
        }
    }

    #[test]
    fn keys_take_the_lines_that_they_need() {
        let list = [("a", "first"), ("b", "second"), ("q", "quit")];
        let lines = |width| keys(&list, width).iter().map(Line::to_string).collect::<Vec<_>>();
        // 9 and 10 cells, of which the last two are blank
        assert_eq!(lines(17), ["a first  b second  ", "q quit  "]);
        assert_eq!(lines(16), ["a first  ", "b second  q quit  "]);
    }
}

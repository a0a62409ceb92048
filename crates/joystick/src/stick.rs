use crate::device::Device;

/// The driving device as the filter uses it; without one there are no axes and no buttons.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stick<'a>(pub(crate) Option<&'a Device>);

impl<'a> Stick<'a> {
    /// The axes, hats included.
    pub(crate) fn axes(self) -> &'a [i16] {
        self.0.map_or(&[], |device| &device.state().axes)
    }

    /// Whether a button counts as held.
    pub(crate) fn is_held(self, button: usize) -> bool {
        self.0.is_some_and(|device| device.is_held(button))
    }

    /// Whether a button is down but does not count, because it was pressed before it had a meaning.
    pub(crate) fn must_be_released(self, button: usize) -> bool {
        self.0.is_some_and(|device| device.is_down(button) && !device.is_held(button))
    }

    /// Whether it is connected and read.
    pub(crate) fn is_there(self) -> bool {
        self.0.is_some_and(|device| device.is_read)
    }
}

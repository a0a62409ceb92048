use gamepad::{Battery, Capabilities, Details, Driver, Event};

/// The connection event of a device with all capabilities, without axes or buttons, and with a full battery.
pub fn connected(id: u32, name: &str, driver: Driver) -> Event {
    let details = Details {
        serial: String::new(),
        path: String::new(),
        links: vec![],
        mapping: String::new(),
        triggers: None,
        driver,
        capabilities: Capabilities { rumble: true, led: true, accelerometer: true, gyro: true },
        battery: Battery::Full,
    };
    let (name, guid) = (name.into(), "03".into());
    Event::Connected {
        id,
        name,
        guid,
        axes: vec![],
        buttons: vec![],
        hats: vec![],
        details: Box::new(details),
    }
}

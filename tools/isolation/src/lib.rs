//! Keeps the demo, the tests and the bench away from every robot: a ROS domain of their own, on this machine alone.
//!
//! They enable, reset and drive any vehicle that they find, and a developer's shell has the `ROS_DOMAIN_ID` and the
//! middleware configuration of the robot. So neither is used.
//!
//! * [`Isolation`] is the required environment.
//! * [`ensure`] restarts the process in it if needed.
#![forbid(unsafe_code)]

mod domain;
mod start;

pub use domain::{OWN, Refused, is_in_use};
pub use start::{Error, ensure, inherited};

/// The Fast DDS profile that keeps everything on this machine, UDP over loopback.
///
/// No shared memory: with it a process's publishers block while others start and end.
pub const PROFILE: &str = include_str!("../../../config/fastdds_this_machine.xml");

/// The variable that sets the domain of ROS.
pub const DOMAIN: &str = "ROS_DOMAIN_ID";
const RANGE: &str = "ROS_AUTOMATIC_DISCOVERY_RANGE";
/// The names of one variable in Fast DDS 2 and in Fast DDS 3.
const PROFILES: [&str; 2] = ["FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE"];
/// Variables that would reach other hosts: other peers, other transports, discovery servers.
const REMOVED: [&str; 9] = [
    "ROS_LOCALHOST_ONLY",
    "ROS_STATIC_PEERS",
    "ROS_DISCOVERY_SERVER",
    "ROS_SUPER_CLIENT",
    "FASTDDS_BUILTIN_TRANSPORTS",
    "FASTDDS_ENVIRONMENT_FILE",
    "CYCLONEDDS_URI",
    "ZENOH_SESSION_CONFIG_URI",
    "ZENOH_CONFIG_OVERRIDE",
];

/// A ROS domain, and the settings that keep the middleware on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isolation {
    domain: u8,
    is_fast_dds: bool,
}

impl Isolation {
    /// The isolation of a process that is started with the variables `inherited`.
    ///
    /// [`OWN`] sets the domain. Without it one is chosen by the number `process` that is neither 0, which is the default of
    /// every ROS process, nor the shell's, nor in use on this machine.
    /// # Errors
    /// [`OWN`] is not a valid domain.
    pub fn new(inherited: &dyn Fn(&str) -> Option<String>, process: u32) -> Result<Self, Refused> {
        let given = |name| inherited(name).filter(|value| !value.is_empty());
        let domain = domain::choose(given(OWN), given(DOMAIN), process, &domain::is_in_use)?;
        let is_fast_dds = given("RMW_IMPLEMENTATION").is_none_or(|name| name.starts_with("rmw_fastrtps"));
        Ok(Self { domain, is_fast_dds })
    }

    /// `count` further domains for processes that run beside it, chosen like the first one without [`OWN`].
    #[must_use]
    pub fn beside(self, inherited: &dyn Fn(&str) -> Option<String>, count: usize) -> Vec<u8> {
        let mut taken = vec![self.domain];
        for _ in 0..count {
            let is_taken = |domain| taken.contains(&domain) || domain::is_in_use(domain);
            taken.extend(domain::choose(None, inherited(DOMAIN), u32::from(self.domain), &is_taken));
        }
        taken.split_off(1)
    }

    /// The domain, 0 to 232.
    #[must_use]
    pub const fn domain(self) -> u8 {
        self.domain
    }

    /// The required value of each variable, `None` for not set, with [`PROFILE`] in the file `profile`.
    ///
    /// # Source
    /// own, seen in the sockets of Jazzy's `rmw_fastrtps_cpp`: with a discovery range of `LOCALHOST` (or `ROS_LOCALHOST_ONLY`)
    /// it adds shared memory and sockets on every interface to the profile's transports. So the range is only set for other
    /// middlewares, and an inherited one is overruled.
    #[must_use]
    pub fn variables(self, profile: &str) -> Vec<(&'static str, Option<String>)> {
        let domain = self.domain.to_string();
        let mut list = vec![(OWN, Some(domain.clone())), (DOMAIN, Some(domain))];
        list.push((RANGE, Some(self.range().to_owned())));
        list.extend(PROFILES.map(|name| (name, Some(profile.to_owned()))));
        // A DEFAULT_FASTRTPS_PROFILES.xml in the current folder would be read too.
        list.push(("SKIP_DEFAULT_XML_FILE", Some("1".to_owned())));
        list.extend(REMOVED.map(|name| (name, None)));
        list
    }

    const fn range(self) -> &'static str {
        if self.is_fast_dds { "SUBNET" } else { "LOCALHOST" }
    }

    /// The sentence for the user: where it runs, and the command with which another shell can watch.
    #[must_use]
    pub fn sentence(self, profile: &str) -> String {
        let domain = self.domain;
        let other = if self.is_fast_dds {
            let (quoted, name) = (profile.replace('\'', r"'\''"), PROFILES[0]);
            format!("{name}='{quoted}'")
        } else {
            format!("{RANGE}={}", self.range())
        };
        format!(
            "on this machine only, in ROS domain {domain} ({OWN} chooses another); to watch from another shell: \
             export {DOMAIN}={domain} {other}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shell of a robot's developer.
    fn robot(name: &str) -> Option<String> {
        let value = match name {
            "ROS_DOMAIN_ID" => "7",
            "FASTRTPS_DEFAULT_PROFILES_FILE" => "/robot.xml",
            "ROS_AUTOMATIC_DISCOVERY_RANGE" => "LOCALHOST",
            "ROS_DISCOVERY_SERVER" => "192.0.2.1:11811",
            _ => return None,
        };
        Some(value.to_owned())
    }

    fn value(list: &[(&str, Option<String>)], name: &str) -> Option<String> {
        list.iter().find(|(n, _)| *n == name).and_then(|(_, value)| value.clone())
    }

    #[test]
    fn processes_side_by_side_have_a_domain_each() {
        for process in 0..120 {
            let first = Isolation::new(&robot, process).unwrap();
            let mut all = first.beside(&robot, 8);
            all.push(first.domain());
            assert!(!all.contains(&7) && !all.contains(&0), "{all:?}");
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), 9);
        }
    }

    #[test]
    fn no_variable_of_a_robots_environment_is_inherited() {
        for process in 0..300 {
            let list = Isolation::new(&robot, process).unwrap().variables("/ours.xml");
            let domain = value(&list, "ROS_DOMAIN_ID");
            assert!(domain.is_some() && domain != Some("7".to_owned()) && domain != Some("0".to_owned()));
            assert_eq!(domain, value(&list, OWN), "a child process stays in it");
            assert_eq!(value(&list, "FASTRTPS_DEFAULT_PROFILES_FILE"), Some("/ours.xml".to_owned()));
            assert_eq!(value(&list, "ROS_AUTOMATIC_DISCOVERY_RANGE"), Some("SUBNET".to_owned()));
            assert!(
                list.contains(&("ROS_DISCOVERY_SERVER", None))
                    && list.contains(&("ROS_LOCALHOST_ONLY", None))
            );
        }
    }

    #[test]
    fn a_chosen_domain_is_used() {
        let chosen = |name: &str| if name == OWN { Some("7".to_owned()) } else { robot(name) };
        assert_eq!(Isolation::new(&chosen, 1).unwrap().domain(), 7);
    }

    #[test]
    fn a_middleware_without_our_profile_is_confined_by_the_discovery_range() {
        let cyclone = |name: &str| match name {
            "RMW_IMPLEMENTATION" => Some("rmw_cyclonedds_cpp".to_owned()),
            OWN => Some("9".to_owned()),
            other => robot(other),
        };
        let isolation = Isolation::new(&cyclone, 1).unwrap();
        let range = value(&isolation.variables("/ours.xml"), "ROS_AUTOMATIC_DISCOVERY_RANGE");
        assert_eq!(range, Some("LOCALHOST".to_owned()));
        let sentence = isolation.sentence("/ours.xml");
        assert!(
            sentence.ends_with("export ROS_DOMAIN_ID=9 ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST"),
            "{sentence}"
        );
    }

    #[test]
    fn the_sentence_has_the_command_for_another_shell() {
        let isolation = Isolation { domain: 5, is_fast_dds: true };
        assert_eq!(
            isolation.sentence("/it's/ours.xml"),
            "on this machine only, in ROS domain 5 (STEERSMAN_DOMAIN chooses another); to watch from another shell: \
             export ROS_DOMAIN_ID=5 FASTRTPS_DEFAULT_PROFILES_FILE='/it'\\''s/ours.xml'"
        );
    }
}

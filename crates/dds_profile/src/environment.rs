use std::io;

use crate::profile::{self, Hazard, Lack};
use crate::{PROFILE, THIS_MACHINE, VARIABLE};

/// A name for some of Fast DDS's own transports, which a profile replaces.
const TRANSPORTS: &str = "FASTDDS_BUILTIN_TRANSPORTS";
/// The file in the working folder that Fast DDS reads as well, unless this variable is 1.
const DEFAULT_FILE: (&str, &str) = ("DEFAULT_FASTRTPS_PROFILES.xml", "SKIP_DEFAULT_XML_FILE");
const MIDDLEWARE: &str = "RMW_IMPLEMENTATION";
/// How far ROS looks for other nodes: SUBNET, LOCALHOST, OFF or SYSTEM_DEFAULT.
const RANGE: &str = "ROS_AUTOMATIC_DISCOVERY_RANGE";
/// Its forerunner: 1 is LOCALHOST, without any peers.
const LOCALHOST_ONLY: &str = "ROS_LOCALHOST_ONLY";
const PEERS: &str = "ROS_STATIC_PEERS";
/// The address of a discovery server: a node finds only those whose messages it receives, or that receive its own.
const SERVER: &str = "ROS_DISCOVERY_SERVER";
/// With TRUE a node finds all others by the server.
const SUPER_CLIENT: &str = "ROS_SUPER_CLIENT";

/// Whose nodes find this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Nodes of the network.
    Network,
    /// Nodes of this machine alone.
    ThisMachine,
}

impl Reach {
    /// The name of the profile's file.
    pub const fn file(self) -> &'static str {
        match self {
            Self::Network => "fastdds.xml",
            Self::ThisMachine => "fastdds_this_machine.xml",
        }
    }
}

/// The variables that go with the profile of `reach`, `None` for not set.
///
/// With a range of LOCALHOST rmw_fastrtps adds shared memory and a UDP transport of its own to the transports of a profile. So a node that
/// only this machine's find has a profile that goes no further, and the range that adds nothing.
/// # Source
/// own, seen in the sockets and the mapped memory of Jazzy's `rmw_fastrtps_cpp`
pub fn range(reach: Reach) -> Vec<(&'static str, Option<&'static str>)> {
    match reach {
        Reach::Network => Vec::new(),
        Reach::ThisMachine => vec![(RANGE, Some("SUBNET")), (LOCALHOST_ONLY, None)],
    }
}

/// The sentence for a profile that cannot be found.
pub fn not_installed(reach: Reach) -> String {
    let lacks = format!("config/{} is missing", reach.file());
    sentence("Steersman's Fast DDS profile is not installed", &lacks, Hazard::Network)
}

/// The environment of a process, as far as its transports depend on it.
pub struct Environment<'a> {
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    pub read: &'a dyn Fn(&str) -> io::Result<String>,
}

/// Where this process's transports come from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Origin {
    /// One of Steersman's profiles, set or not.
    Ours,
    /// A file that the environment names.
    File(String),
    /// The value of [`TRANSPORTS`].
    Named(String),
    /// This middleware, which has no such profile.
    Other(String),
}

/// How ROS looks for other nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Range {
    /// The profile alone decides.
    Profile,
    /// ROS looks on this machine alone.
    ThisMachine,
    /// ROS looks on this machine and on those that are named.
    Peers,
    /// ROS looks nowhere.
    Off,
}

impl Environment<'_> {
    fn given(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }

    fn origin(&self) -> Origin {
        if let Some(name) = self.given(MIDDLEWARE).filter(|name| !name.starts_with("rmw_fastrtps")) {
            return Origin::Other(name);
        }
        if let Some(file) = self.given(VARIABLE) {
            let is_ours = (self.read)(&file).is_ok_and(|text| [PROFILE, THIS_MACHINE].contains(&&*text));
            return if is_ours { Origin::Ours } else { Origin::File(file) };
        }
        let (file, skip) = DEFAULT_FILE;
        if self.given(skip).as_deref() != Some("1") && (self.read)(file).is_ok() {
            return Origin::File(file.to_owned());
        }
        match self.given(TRANSPORTS) {
            // The launch files of earlier versions set this one.
            Some(name) if name != "UDPv4" => Origin::Named(name),
            _ => Origin::Ours,
        }
    }

    fn range(&self) -> Range {
        if self.given(LOCALHOST_ONLY).as_deref() == Some("1") {
            return Range::ThisMachine;
        }
        match self.given(RANGE).as_deref() {
            Some("LOCALHOST") if self.given(PEERS).is_some() => Range::Peers,
            Some("LOCALHOST") => Range::ThisMachine,
            Some("OFF") => Range::Off,
            _ => Range::Profile,
        }
    }

    /// The reach of the profile with which this process has to start again, if it has to.
    pub fn starts_again(&self) -> Option<Reach> {
        if self.origin() != Origin::Ours {
            return None;
        }
        let range = self.range();
        if range == Range::ThisMachine {
            return Some(Reach::ThisMachine); // afterwards the range is another one
        }
        self.given(VARIABLE).is_none().then_some(Reach::Network)
    }

    /// Each of the settings by which a send of this process may be held back, or a second publisher not be found, with the remedy.
    pub fn warnings(&self) -> Vec<String> {
        let origin = self.origin();
        let of_origin = match &origin {
            Origin::Ours => None,
            Origin::Other(name) => Some(format!(
                "{MIDDLEWARE} is '{name}': Steersman's profile, with which no send waits, is one of rmw_fastrtps_cpp, and with others this \
                 was not measured. A far computer that only watches, over a link that stands still, may hold back this node's messages, \
                 stops among them; use rmw_fastrtps_cpp"
            )),
            Origin::Named(name) => {
                let lacks = "with it Steersman does not use its own profile";
                Some(sentence(&format!("{TRANSPORTS} is '{name}'"), lacks, Hazard::Network))
            }
            Origin::File(file) => {
                let lack = match (self.read)(file) {
                    Ok(text) => profile::lacks(&text),
                    Err(error) => Some(Lack {
                        sentence: format!("it cannot be read ({error})"),
                        hazard: Hazard::Network,
                    }),
                };
                let what = format!("the Fast DDS profile '{file}' is used instead of Steersman's");
                lack.map(|lack| sentence(&what, &lack.sentence, lack.hazard))
            }
        };
        let is_fast_dds = !matches!(origin, Origin::Other(_));
        let of_range = is_fast_dds.then(|| self.range_warning()).flatten();
        [of_origin, of_range, self.server_warning()].into_iter().flatten().collect()
    }

    fn server_warning(&self) -> Option<String> {
        let server = self.given(SERVER)?;
        let is_super = self.given(SUPER_CLIENT).is_some_and(|value| value.eq_ignore_ascii_case("true"));
        (!is_super).then(|| {
            format!(
                "{SERVER} is '{server}' and {SUPER_CLIENT} is not 'TRUE': a second publisher of the motor values, or of anything else \
                 that this node publishes, is not found, and does not stop; set {SUPER_CLIENT}=TRUE"
            )
        })
    }

    fn range_warning(&self) -> Option<String> {
        let is_old = self.given(LOCALHOST_ONLY).as_deref() == Some("1");
        let setting =
            if is_old { format!("{LOCALHOST_ONLY} is '1'") } else { format!("{RANGE} is 'LOCALHOST'") };
        let adds = "ROS adds shared memory and a transport of its own to those of the profile";
        match self.range() {
            Range::Profile => None,
            Range::ThisMachine => Some(format!(
                "{}; unset it, and name config/{} by {VARIABLE} for nodes of this machine alone",
                sentence_of(&setting, adds, Hazard::SharedMemory),
                Reach::ThisMachine.file(),
            )),
            Range::Peers => Some(format!(
                "{}; unset it: {PEERS} counts without it too",
                sentence_of(&setting, adds, Hazard::SharedMemory)
            )),
            Range::Off => Some(format!(
                "{RANGE} is 'OFF': this node finds no other one, and no message reaches it, no stop either; use LOCALHOST or SUBNET"
            )),
        }
    }
}

fn sentence(what: &str, lacks: &str, hazard: Hazard) -> String {
    format!(
        "{}; Steersman's profile, config/fastdds.xml, shows how it cannot",
        sentence_of(what, lacks, hazard)
    )
}

fn sentence_of(what: &str, lacks: &str, hazard: Hazard) -> String {
    let hazard = match hazard {
        Hazard::Network => {
            "A far computer that only watches, over a link that stands still, can hold back this node's messages, stops among them"
        }
        Hazard::SharedMemory => {
            "A process of this machine that starts, ends or is killed can hold back this node's messages for a second, stops among them"
        }
    };
    format!("{what}: {lacks}. {hazard}")
}

#[cfg(test)]
mod tests {
    use super::*;

    type Pairs<'a> = &'a [(&'a str, &'a str)];

    /// Calls `with` with the environment that has these variables and files.
    fn within<T>(variables: Pairs<'_>, files: Pairs<'_>, with: impl Fn(&Environment<'_>) -> T) -> T {
        let find = |list: Pairs<'_>, name: &str| {
            list.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        let variable = |name: &str| find(variables, name);
        let read = |file: &str| find(files, file).ok_or_else(|| io::ErrorKind::NotFound.into());
        with(&Environment { variable: &variable, read: &read })
    }

    fn starts_again(variables: Pairs<'_>, files: Pairs<'_>) -> Option<Reach> {
        within(variables, files, |environment| environment.starts_again())
    }

    fn warnings(variables: Pairs<'_>, files: Pairs<'_>) -> Vec<String> {
        within(variables, files, |environment| environment.warnings())
    }

    const MINE: (&str, &str) = (VARIABLE, "/my.xml");
    const LOCALHOST: (&str, &str) = (RANGE, "LOCALHOST");

    #[test]
    fn a_profile_transports_and_a_middleware_of_the_user_are_respected() {
        let network = Some(Reach::Network);
        assert_eq!(starts_again(&[], &[]), network);
        assert_eq!(starts_again(&[(VARIABLE, "")], &[]), network);
        assert_eq!(starts_again(&[(TRANSPORTS, "UDPv4")], &[]), network);
        assert_eq!(starts_again(&[(MIDDLEWARE, "rmw_fastrtps_cpp")], &[]), network);
        assert_eq!(starts_again(&[MINE], &[("/my.xml", "<profiles/>")]), None);
        // This library does not read the name of the next one.
        assert_eq!(starts_again(&[("FASTDDS_DEFAULT_PROFILES_FILE", "/my.xml")], &[]), network);
        let default = &[(DEFAULT_FILE.0, "<profiles/>")];
        assert_eq!(starts_again(&[], default), None);
        assert_eq!(starts_again(&[("SKIP_DEFAULT_XML_FILE", "1")], default), network);
        assert_eq!(starts_again(&[(TRANSPORTS, "SHM")], &[]), None);
        assert_eq!(starts_again(&[(MIDDLEWARE, "rmw_cyclonedds_cpp")], default), None);
    }

    #[test]
    fn a_discovery_server_that_tells_of_no_second_publisher_is_named_with_the_remedy() {
        let server = (SERVER, "192.0.2.1:11811");
        let found = warnings(&[server], &[]);
        assert!(found[0].contains("'192.0.2.1:11811'") && found[0].ends_with("set ROS_SUPER_CLIENT=TRUE"));
        assert_eq!(warnings(&[server, (SUPER_CLIENT, "FALSE")], &[]), found);
        assert_eq!(warnings(&[server, (SUPER_CLIENT, "TRUE")], &[]), Vec::<String>::new());
    }

    #[test]
    fn a_node_of_this_machine_alone_starts_again_with_a_profile_that_goes_no_further_and_only_once() {
        let this_machine = Some(Reach::ThisMachine);
        assert_eq!(starts_again(&[LOCALHOST], &[]), this_machine);
        assert_eq!(starts_again(&[(LOCALHOST_ONLY, "1")], &[]), this_machine);
        assert_eq!(starts_again(&[(LOCALHOST_ONLY, "0")], &[]), Some(Reach::Network));
        // Who exports Steersman's profile for nodes of his own still wants no other machine.
        assert_eq!(starts_again(&[MINE, LOCALHOST], &[("/my.xml", PROFILE)]), this_machine);
        let peers = (PEERS, "192.0.2.1");
        assert_eq!(starts_again(&[LOCALHOST, peers], &[]), Some(Reach::Network));
        assert_eq!(
            starts_again(&[LOCALHOST, peers, (LOCALHOST_ONLY, "1")], &[]),
            this_machine,
            "as rcl has it"
        );
        for (reach, text) in [(Reach::Network, PROFILE), (Reach::ThisMachine, THIS_MACHINE)] {
            let mut variables = vec![(VARIABLE, "/ours.xml")];
            variables.extend(range(reach).into_iter().filter_map(|(name, value)| Some((name, value?))));
            assert_eq!(starts_again(&variables, &[("/ours.xml", text)]), None, "{reach:?}");
            assert_eq!(warnings(&variables, &[("/ours.xml", text)]), Vec::<String>::new(), "{reach:?}");
        }
        assert!(range(Reach::ThisMachine).contains(&(LOCALHOST_ONLY, None)));
    }

    /// Checks that there is one warning, which begins and ends like this.
    fn is_warned(variables: Pairs<'_>, files: Pairs<'_>, begin: &str, end: &str) {
        let warnings = warnings(variables, files);
        let [warning] = warnings.as_slice() else { panic!("{variables:?}: {warnings:?}") };
        assert!(warning.starts_with(begin) && warning.ends_with(end), "{variables:?}: {warning}");
    }

    #[test]
    fn each_setting_that_lets_a_send_wait_is_named_with_its_remedy() {
        let shows = "Steersman's profile, config/fastdds.xml, shows how it cannot";
        is_warned(
            &[(TRANSPORTS, "SHM")],
            &[],
            "FASTDDS_BUILTIN_TRANSPORTS is 'SHM': with it Steersman does not use its own profile. A far computer",
            shows,
        );
        let waits = PROFILE.replacen("<non_blocking_send>true", "<non_blocking_send>false", 1);
        is_warned(
            &[MINE],
            &[("/my.xml", &waits)],
            "the Fast DDS profile '/my.xml' is used instead of Steersman's: its transport 'network' has no \
             <non_blocking_send>true</non_blocking_send>. A far computer",
            shows,
        );
        let gone = "the Fast DDS profile '/my.xml' is used instead of Steersman's: it cannot be read (entity not found)";
        is_warned(&[MINE], &[], gone, shows);
        let enough = THIS_MACHINE.replace("this_machine", "mine");
        assert_eq!(warnings(&[MINE], &[("/my.xml", &enough)]), Vec::<String>::new());
        is_warned(
            &[MINE, LOCALHOST],
            &[("/my.xml", &enough)],
            "ROS_AUTOMATIC_DISCOVERY_RANGE is 'LOCALHOST': ROS adds shared memory and a transport of its own to those of the profile. \
             A process of this machine",
            "unset it, and name config/fastdds_this_machine.xml by FASTRTPS_DEFAULT_PROFILES_FILE for nodes of this machine alone",
        );
        is_warned(
            &[MINE, (LOCALHOST_ONLY, "1")],
            &[("/my.xml", &enough)],
            "ROS_LOCALHOST_ONLY is '1': ROS adds shared memory",
            "for nodes of this machine alone",
        );
        is_warned(
            &[(VARIABLE, "/ours.xml"), LOCALHOST, (PEERS, "192.0.2.1")],
            &[("/ours.xml", PROFILE)],
            "ROS_AUTOMATIC_DISCOVERY_RANGE is 'LOCALHOST': ROS adds shared memory",
            "unset it: ROS_STATIC_PEERS counts without it too",
        );
        is_warned(
            &[(VARIABLE, "/ours.xml"), (RANGE, "OFF")],
            &[("/ours.xml", PROFILE)],
            "ROS_AUTOMATIC_DISCOVERY_RANGE is 'OFF': this node finds no other one",
            "use LOCALHOST or SUBNET",
        );
        is_warned(
            &[(MIDDLEWARE, "rmw_cyclonedds_cpp"), LOCALHOST],
            &[],
            "RMW_IMPLEMENTATION is 'rmw_cyclonedds_cpp': Steersman's profile",
            "use rmw_fastrtps_cpp",
        );
        for harmless in ["SUBNET", "SYSTEM_DEFAULT"] {
            let variables = &[(VARIABLE, "/ours.xml"), (RANGE, harmless), (PEERS, "192.0.2.1")];
            assert_eq!(warnings(variables, &[("/ours.xml", PROFILE)]), Vec::<String>::new(), "{harmless}");
        }
    }
}

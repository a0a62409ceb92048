use core::fmt;
use std::net::{Ipv4Addr, UdpSocket};
use std::ops::RangeInclusive;

/// The variable that sets the domain of isolated processes.
pub const OWN: &str = "STEERSMAN_DOMAIN";
/// The domains whose ports are below 65536.
const ALLOWED: RangeInclusive<u8> = 0..=232;
/// The last domain to choose from: above it the ports may be those of other programs. The first is 1.
const LAST: u8 = 101;

/// [`OWN`] has this value, which is not a valid domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, least, most) = (&self.0, ALLOWED.start(), ALLOWED.end());
        write!(f, "{OWN} is '{value}', must be a whole number from {least} to {most}")
    }
}

impl std::error::Error for Refused {}

/// The domain `own`; without it one by the number `process` that is neither `shell` nor `in_use`. If all are in use, one that
/// is not `shell`.
pub fn choose(
    own: Option<String>,
    shell: Option<String>,
    process: u32,
    in_use: &dyn Fn(u8) -> bool,
) -> Result<u8, Refused> {
    if let Some(own) = own {
        return match own.parse() {
            Ok(domain) if ALLOWED.contains(&domain) => Ok(domain),
            _ => Err(Refused(own)),
        };
    }
    let shell = shell.and_then(|shell| shell.trim().parse::<u32>().ok());
    let first = (process % u32::from(LAST)) as u8; // below 101
    let mut others = (first..LAST).chain(0..first).map(|n| n + 1).filter(|&n| shell != Some(n.into()));
    let any = others.clone().next().unwrap_or(LAST);
    Ok(others.find(|&domain| !in_use(domain)).unwrap_or(any))
}

/// Whether a process on this machine has the domain's discovery port for multicast, or the first one for unicast: whether there
/// are other nodes, as long as this process has none itself.
///
/// # Source
/// the ports of DDSI-RTPS 2.2, 9.6.1.1
#[must_use]
pub fn is_in_use(domain: u8) -> bool {
    let base = 7400 + 250 * u16::from(domain);
    [base, base + 10].iter().any(|&port| UdpSocket::bind((Ipv4Addr::UNSPECIFIED, port)).is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> Option<String> {
        Some(value.to_owned())
    }

    #[test]
    fn a_chosen_domain_is_checked() {
        let choose = |own| choose(text(own), text("7"), 0, &|_| true);
        assert_eq!(["0", "7", "232"].map(choose), [Ok(0), Ok(7), Ok(232)]);
        for wrong in ["233", "256", "-1", "1.0", "x", " 7"] {
            let sentence = format!("STEERSMAN_DOMAIN is '{wrong}', must be a whole number from 0 to 232");
            assert_eq!(choose(wrong).unwrap_err().to_string(), sentence);
        }
    }

    #[test]
    fn a_domain_is_neither_the_default_nor_the_shell_s() {
        for shell in ["", "0", "1", "50", "101", " 7", "x"] {
            for process in 0..=202 {
                let domain = choose(None, text(shell), process, &|_| false).unwrap();
                assert!(
                    (1..=101).contains(&domain) && domain.to_string() != shell.trim(),
                    "{domain} beside {shell}"
                );
            }
        }
    }

    #[test]
    fn a_domain_in_use_is_skipped() {
        assert_eq!(choose(None, text("8"), 6, &|domain| domain == 7), Ok(9));
        assert_eq!(
            choose(None, text("101"), 100, &|domain| domain == 1),
            Ok(2),
            "from the last to the first"
        );
        assert_eq!(choose(None, text("7"), 6, &|_| true), Ok(8), "all in use: not the shell's at least");
    }

    #[test]
    fn a_port_in_use_is_detected() {
        let domain = (1..=LAST).rev().find(|&domain| !is_in_use(domain)).unwrap();
        let base = 7400 + 250 * u16::from(domain);
        for port in [base, base + 10] {
            let _socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
            assert!(is_in_use(domain));
        }
    }
}

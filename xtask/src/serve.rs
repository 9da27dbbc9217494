//! The page on this machine, rebuilt on change.

use std::fs;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};

use crate::place::Place;
use crate::setup;
use crate::sizes;

/// How many ports after the wanted one are tried.
const TRIES: u16 = 50;

/// Builds, serves and watches until it is stopped.
pub(crate) fn run(place: &Place, wanted: u16) -> Result<(), String> {
    setup::all(place, false)?;
    // Trunk.toml tells Trunk not to watch these; it refuses to start when one of them is not there yet.
    for folder in [place.dist(), place.target(), place.tools()] {
        fs::create_dir_all(&folder).map_err(|error| format!("{} cannot be made: {error}.", folder.display()))?;
    }
    let port = free_port(wanted, is_free)
        .ok_or_else(|| format!("The ports from {wanted} on are all taken: name a free one with `--port`."))?;
    if port != wanted {
        println!("Port {wanted} is taken; taking {port} instead.");
    }
    println!("Serving on http://localhost:{port}/ as soon as the first build is done. Stop with Ctrl-C.");
    sizes::trunk(place, &["serve", "--port", &port.to_string()]).run()
}

fn free_port(wanted: u16, is_free: impl Fn(u16) -> bool) -> Option<u16> {
    (wanted..=wanted.saturating_add(TRIES)).find(|port| is_free(*port))
}

/// Trunk listens on both loopback addresses, so both must be free; a machine without IPv6 has only one.
fn is_free(port: u16) -> bool {
    let taken = |address: SocketAddr| {
        TcpListener::bind(address).is_err_and(|error| {
            matches!(error.kind(), std::io::ErrorKind::AddrInUse | std::io::ErrorKind::PermissionDenied)
        })
    };
    !taken((Ipv4Addr::LOCALHOST, port).into()) && !taken((Ipv6Addr::LOCALHOST, port).into())
}

#[cfg(test)]
mod tests {
    use super::{free_port, is_free};
    use std::net::{Ipv4Addr, TcpListener};

    #[test]
    fn the_next_free_port_is_taken() {
        assert_eq!(free_port(8080, |_| true), Some(8080));
        assert_eq!(free_port(8080, |port| port > 8082), Some(8083));
        assert_eq!(free_port(8080, |_| false), None);
        assert_eq!(free_port(u16::MAX, |_| false), None);
    }

    #[test]
    fn a_taken_port_is_not_free() -> std::io::Result<()> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        assert!(!is_free(listener.local_addr()?.port()));
        Ok(())
    }
}

//! Whether ready binaries can be fetched.

use std::net::{TcpStream, ToSocketAddrs};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(3);

/// Whether GitHub, where Trunk and others fetch ready binaries, answers within three seconds.
pub(crate) fn github_answers() -> bool {
    let (sender, receiver) = mpsc::channel();
    // In a thread, because the name look-up has no limit of its own and can hang on a closed network.
    thread::spawn(move || {
        let answers = ("github.com", 443)
            .to_socket_addrs()
            .is_ok_and(|mut addresses| addresses.any(|address| TcpStream::connect_timeout(&address, LIMIT).is_ok()));
        let _ = sender.send(answers);
    });
    receiver.recv_timeout(LIMIT).unwrap_or(false)
}

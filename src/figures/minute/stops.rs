//! What the levers of the figure offer, and where they stand.

use core::array;

/// How many servers are offered.
pub const SERVERS: usize = 3;

/// Percent of the GPU that can be chosen.
pub const SHARES: [u32; 7] = [70, 75, 80, 85, 90, 92, 95];

/// What each slider offers, and how a link calls it behind `minute.`; beside these there is the list of servers.
pub const STOPS: [(&str, &[u32]); 6] = [
    ("arrivals", &[6, 15, 30, 45, 60, 75, 90, 105, 120, 135, 150, 180, 240, 300, 450, 600, 900, 1_200]),
    ("prompt", &[64, 128, 256, 512, 768, 1_024, 1_536, 2_048, 2_560]),
    ("answer", &[16, 32, 64, 128, 256, 384, 512, 640, 768]),
    ("utilization", &SHARES),
    ("page", &[1, 8, 16, 32, 64, 128, 256]),
    ("prefix", &[0, 64, 128, 256, 512, 1_024, 1_536]),
];

/// Where all levers stand: the server, and a stop of each slider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// The place of the server among those that are offered.
    pub server: usize,
    /// The places of the sliders among their stops.
    pub stops: [usize; STOPS.len()],
}

impl Places {
    /// At the start: 150 requests a minute of 2,048 tokens, so much that the pool is full in the second half of the minute.
    pub const START: Self = Self { server: 0, stops: [10, 7, 6, 5, 2, 4] };

    /// As the script and the page say it to each other.
    pub fn text(&self) -> String {
        self.stops.iter().fold(self.server.to_string(), |text, place| text + " " + &place.to_string())
    }

    /// The same read again; nothing where it is no such text.
    pub fn read(text: &str) -> Option<Self> {
        let mut places = text.split(' ').map(|place| place.parse().ok());
        let server = places.next()?.filter(|server| *server < SERVERS)?;
        let stops: [Option<usize>; STOPS.len()] = array::from_fn(|_| places.next()?);
        let known = stops.iter().zip(STOPS).all(|(place, (_, stops))| place.is_some_and(|place| place < stops.len()));
        known.then(|| Self { server, stops: stops.map(Option::unwrap_or_default) })
    }
}

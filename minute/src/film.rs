//! A minute that was recorded: every step, and where each request was from when to when.

use memory_wall_core::server::{MINUTE, Minute, Refusal, Request, Settings, Stage, Step};

/// A stretch of time in which a request was at one stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its place in the order of arrival.
    pub request: usize,
    /// Where it was.
    pub stage: Stage,
    /// From when on, in nanoseconds.
    pub from: u64,
    /// Until when.
    pub to: u64,
}

/// A recorded minute.
#[derive(Debug)]
pub struct Film {
    /// What was served with.
    pub settings: Settings,
    /// Every step in its order.
    pub steps: Vec<Step>,
    /// The requests as they are at the end.
    pub requests: Vec<Request>,
    /// What became of them, within the minute.
    pub spans: Vec<Span>,
}

/// Where a request is, and since when.
struct Track {
    stage: Stage,
    since: u64,
}

impl Track {
    /// Goes on to another stage, and records the one that is over.
    fn go(&mut self, stage: Stage, time: u64, request: usize, spans: &mut Vec<Span>) {
        let to = time.min(MINUTE);
        spans.push(Span { request, stage: self.stage, from: self.since, to });
        *self = Self { stage, since: to };
    }
}

impl Film {
    /// Records the minute.
    ///
    /// # Errors
    /// There is no such server.
    pub fn of(settings: Settings) -> Result<Self, Refusal> {
        let most = settings.load.arrivals as usize;
        let mut room = vec![Request::default(); most + most / 4 + 64];
        let mut minute = Minute::new(settings, &mut room)?;
        let waits = |request: &Request| Track { stage: Stage::Waiting, since: request.arrival };
        let mut tracks: Vec<_> = minute.requests().iter().map(waits).collect();
        let (mut steps, mut spans, mut oldest) = (Vec::new(), Vec::new(), 0);
        while let Some(step) = minute.next() {
            let there = tracks.iter_mut().zip(minute.requests()).enumerate().skip(oldest);
            for (place, (track, request)) in there.take_while(|(_, (_, request))| request.arrival <= step.start) {
                match request.stage {
                    stage if stage == track.stage => {}
                    // Requests come and go when a step starts, and have written when it ends.
                    Stage::Preempted => track.go(Stage::Preempted, step.start, place, &mut spans),
                    stage => {
                        if matches!(track.stage, Stage::Waiting | Stage::Preempted) {
                            track.go(Stage::Prefill, step.start, place, &mut spans);
                        }
                        if stage != track.stage {
                            track.go(stage, step.end, place, &mut spans);
                        }
                    }
                }
            }
            oldest += tracks.iter().skip(oldest).take_while(|track| track.stage == Stage::Done).count();
            steps.push(step);
        }
        for (place, track) in tracks.iter_mut().enumerate().filter(|(_, track)| track.stage != Stage::Done) {
            track.go(Stage::Done, MINUTE, place, &mut spans);
        }
        spans.retain(|span| span.from < span.to);
        Ok(Self { settings, steps, requests: minute.requests().to_vec(), spans })
    }

    /// The step that is under way at a moment or ends with it, and its number from 1; nothing before the first, and while nobody is there.
    pub fn step(&self, time: u64) -> Option<(usize, Step)> {
        let number = self.steps.partition_point(|step| step.start < time);
        let step = self.steps.get(number.checked_sub(1)?)?;
        (step.end >= time).then_some((number, *step))
    }

    /// The steps that have ended by a moment.
    pub fn ended(&self, time: u64) -> &[Step] {
        let count = self.steps.partition_point(|step| step.end <= time);
        self.steps.get(..count).unwrap_or_default()
    }

    /// The end of the next step after a moment, or of the minute.
    pub fn after(&self, time: u64) -> u64 {
        let next = self.steps.get(self.ended(time).len());
        next.map_or(MINUTE, |step| step.end.min(MINUTE))
    }

    /// The end of the last step before a moment, or the beginning.
    pub fn before(&self, time: u64) -> u64 {
        self.ended(time.saturating_sub(1)).last().map_or(0, |step| step.end)
    }
}

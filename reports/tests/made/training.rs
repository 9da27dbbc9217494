//! A training run that never was: layers with known sizes, steps with known events, and what a snapshot at its end holds.

use std::collections::BTreeMap;

use super::written::{Node, Pickler, json};

/// The run.
#[derive(Clone, Copy)]
pub(crate) struct Training {
    pub(crate) layers: u64,
    pub(crate) steps: u64,
    /// Bytes of a layer's parameters, of its gradient, and of each of its two optimizer states.
    pub(crate) parameters: u64,
    /// Bytes of each of a layer's tensors that are saved for the backward pass.
    pub(crate) saved: u64,
    /// How many those are.
    pub(crate) saved_tensors: u64,
    /// Whether each step leaves a small tensor behind.
    pub(crate) leaks: bool,
    /// Frames of each stack beyond those that say something.
    pub(crate) depth: usize,
    /// Whether events of one stack share its list, or else its frames only, as in real files.
    pub(crate) shares_stacks: bool,
}

pub(crate) const SMALL: Training = Training {
    layers: 4,
    steps: 5,
    parameters: 40_000,
    saved: 100_000,
    saved_tensors: 3,
    leaks: false,
    depth: 0,
    shares_stacks: true,
};

impl Training {
    /// A run of about so many events.
    pub(crate) fn of_events(events: u64, depth: usize) -> Self {
        let run = Self { layers: 60, depth, shares_stacks: false, ..SMALL };
        let step = run.layers * (run.saved_tensors * 3 + 6);
        Self { steps: events.div_ceil(step), ..run }
    }
}

/// Places of the shared stacks.
const FORWARD: usize = 0;
const TEMPORARY: usize = 1;
const BACKWARD: usize = 2;
const ZERO_GRAD: usize = 3;
const STEP: usize = 4;
const LEAK: usize = 5;

/// The stacks, innermost frame first, and behind them the frames that they share.
pub(crate) fn stacks(depth: usize) -> Vec<Node> {
    const PYTORCH: &str = "/usr/lib/python3/site-packages/torch";
    let mut frames: Vec<Node> = Vec::new();
    let mut stack = |own: &[(&str, String, u64)]| {
        let native = ("c10::cuda::CUDACachingAllocator::Native::malloc(void**, int)", "??".into(), 0);
        let outer = (0..depth).map(|place| ("_PyEval_EvalFrameDefault", "??".into(), place as u64));
        let all = std::iter::once(native).chain(own.iter().cloned()).chain(outer);
        let shared = all.map(|(name, file, line): (&str, String, u64)| {
            let fields = [("name", name.into()), ("filename", file.as_str().into()), ("line", line.into())];
            frames.push(Node::Object(fields.to_vec()));
            Node::Shared(STACKS + frames.len() - 1)
        });
        Node::List(shared.collect())
    };
    let main = || ("main", "/data/someone/project/train.py".to_owned(), 30);
    let module = |line| ("forward", "/data/someone/project/model.py".to_owned(), line);
    let stacks = [
        stack(&[module(12), main()]),
        stack(&[("softmax", format!("{PYTORCH}/nn/functional.py"), 9), module(14), main()]),
        stack(&[("torch::autograd::Engine::evaluate_function(Node*)", "??".into(), 0)]),
        stack(&[("zero_grad", format!("{PYTORCH}/optim/optimizer.py"), 5), main()]),
        stack(&[("_init_group", format!("{PYTORCH}/optim/adamw.py"), 7), main()]),
        stack(&[("keep", "/data/someone/project/train.py".into(), 41), main()]),
    ];
    stacks.into_iter().chain(frames).collect()
}

/// How many stacks there are.
const STACKS: usize = 6;

/// Events one after another, and what is left at the end.
#[derive(Default)]
struct Recorder {
    events: u64,
    next: u64,
    free: BTreeMap<u64, Vec<u64>>,
    /// Address to size, of all that lives.
    live: BTreeMap<u64, u64>,
    now: u64,
    most: u64,
    /// Stacks that each event has a list of its own of.
    unshared: Vec<Node>,
}

impl Recorder {
    fn alloc(&mut self, size: u64, stack: usize, sink: &mut dyn FnMut(Node)) -> u64 {
        let address = self.free.get_mut(&size).and_then(Vec::pop).unwrap_or_else(|| {
            self.next += SEGMENT;
            0x7f00_0000_0000 + self.next
        });
        self.live.insert(address, size);
        self.now += size;
        self.most = self.most.max(self.now);
        self.event("alloc", address, size, stack, sink);
        address
    }

    fn free(&mut self, address: u64, stack: usize, sink: &mut dyn FnMut(Node)) {
        let size = self.live.remove(&address).unwrap();
        self.now -= size;
        self.event("free_requested", address, size, stack, sink);
        self.event("free_completed", address, size, stack, sink);
        self.free.entry(size).or_default().push(address);
    }

    fn event(&mut self, action: &str, address: u64, size: u64, stack: usize, sink: &mut dyn FnMut(Node)) {
        self.events += 1;
        sink(Node::Object(vec![
            ("action", action.into()),
            ("addr", address.into()),
            ("size", size.into()),
            ("stream", 0.into()),
            ("time_us", (1_700_000_000_000_000 + self.events).into()),
            ("frames", self.unshared.get(stack).cloned().unwrap_or(Node::Shared(stack))),
        ]));
    }
}

/// What the reader must find.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Expected {
    pub(crate) events: u64,
    pub(crate) weights: u64,
    pub(crate) gradients: u64,
    pub(crate) optimizer: u64,
    pub(crate) requested: u64,
    pub(crate) allocated: u64,
    pub(crate) reserved: u64,
    pub(crate) peak: u64,
    pub(crate) leaked: u64,
}

impl Training {
    /// Plays the run, event by event, and says what is there at its end.
    fn play(&self, sink: &mut dyn FnMut(Node)) -> Recorder {
        let mut it = Recorder::default();
        if !self.shares_stacks {
            it.unshared = stacks(self.depth);
            it.unshared.truncate(STACKS);
        }
        // Before recording.
        for _ in 0..self.layers {
            let address = 0x7e00_0000_0000 + it.live.len() as u64 * (1 << 32);
            it.live.insert(address, self.parameters);
            it.now += self.parameters;
        }
        it.most = it.now;
        let mut gradients: Vec<u64> = Vec::new();
        for step in 0..self.steps {
            for gradient in gradients.drain(..) {
                it.free(gradient, ZERO_GRAD, sink);
            }
            let mut saved = Vec::new();
            for _ in 0..self.layers {
                saved.extend((0..self.saved_tensors).map(|_| it.alloc(self.saved, FORWARD, sink)));
                let temporary = it.alloc(self.saved / 2, TEMPORARY, sink);
                it.free(temporary, TEMPORARY, sink);
            }
            if self.leaks {
                it.alloc(4, LEAK, sink);
            }
            for layer in (0..self.layers).rev() {
                gradients.push(it.alloc(self.parameters, BACKWARD, sink));
                let tensors = self.saved_tensors as usize;
                for address in saved.drain(layer as usize * tensors..) {
                    it.free(address, BACKWARD, sink);
                }
            }
            if step == 0 {
                for _ in 0..2 * self.layers {
                    it.alloc(self.parameters, STEP, sink);
                }
            }
        }
        it
    }

    /// The numbers, by hand from the run's own.
    pub(crate) fn expected(&self, it_events: u64) -> Expected {
        let all = self.layers * self.parameters;
        let leaked = if self.leaks { 4 * self.steps } else { 0 };
        let block = self.parameters.next_multiple_of(512);
        // Weights, states and all that is saved, when the last layer's temporary is there; the leak comes after it.
        // The first gradient comes before anything saved is freed, and is smaller than the temporary tensor.
        let states = if self.steps > 1 { 2 * all } else { 0 };
        let saved = self.layers * self.saved_tensors * self.saved;
        let peak = all + states + saved + (leaked + self.parameters).max(self.saved / 2 + leaked.saturating_sub(4));
        Expected {
            events: it_events,
            weights: all,
            gradients: all,
            optimizer: 2 * all,
            requested: 4 * all + leaked,
            allocated: 4 * self.layers * block + self.steps * if self.leaks { 512 } else { 0 },
            reserved: (4 * self.layers + if self.leaks { self.steps } else { 0 } + 1) * SEGMENT,
            peak,
            leaked,
        }
    }

    /// The snapshot's parts around the trace.
    fn segments(live: &BTreeMap<u64, u64>) -> Node {
        let segment = |address: u64, blocks: Vec<Node>| {
            Node::Object(vec![
                ("device", 0.into()),
                ("address", address.into()),
                ("total_size", SEGMENT.into()),
                ("stream", 0.into()),
                ("segment_type", "large".into()),
                ("segment_pool_id", Node::Pair(0, 0)),
                ("is_expandable", Node::Switch(false)),
                ("frames", Node::List(Vec::new())),
                ("blocks", Node::List(blocks)),
            ])
        };
        let block = |address: u64, size: u64, requested: u64, state: &str| {
            Node::Object(vec![
                ("address", address.into()),
                ("size", size.into()),
                ("requested_size", requested.into()),
                ("state", state.into()),
                ("frames", Node::List(Vec::new())),
            ])
        };
        let used = live.iter().map(|(address, size)| {
            let whole = size.next_multiple_of(512);
            let rest = block(address + whole, SEGMENT - whole, 0, "inactive");
            segment(*address, vec![block(*address, whole, *size, "active_allocated"), rest])
        });
        let empty = segment(0x6000_0000_0000, vec![block(0x6000_0000_0000, SEGMENT, 0, "inactive")]);
        Node::List(used.chain([empty]).collect())
    }

    fn around(live: &BTreeMap<u64, u64>) -> [(&'static str, Node); 3] {
        let settings = vec![
            ("PYTORCH_CUDA_ALLOC_CONF", "".into()),
            ("max_split_size", Node::Negative(-1)),
            ("garbage_collection_threshold", Node::Number(0.0)),
            ("expandable_segments", Node::Switch(false)),
            ("roundup_power2_divisions", Node::Object(Vec::new())),
        ];
        [
            ("segments", Self::segments(live)),
            ("allocator_settings", Node::Object(settings)),
            ("external_annotations", Node::List(Vec::new())),
        ]
    }

    /// The snapshot as a pickle, and what it holds.
    pub(crate) fn pickle(&self, protocol: u8) -> (Vec<u8>, Expected) {
        let shared = stacks(self.depth);
        let mut pickler = Pickler::new(protocol, &shared);
        pickler.open();
        pickler.node(&"device_traces".into());
        pickler.bytes.push(b']');
        // Python numbers the outer list, then the inner one, and adds to that batch by batch.
        pickler.number();
        let mut inner = 0;
        pickler.open_list();
        let recorder = self.play(&mut |event| {
            pickler.item(&event, inner);
            inner += 1;
        });
        pickler.close_list(inner);
        pickler.bytes.push(b'a');
        let events = recorder.events;
        for (name, node) in Self::around(&recorder.live) {
            pickler.node(&name.into());
            pickler.node(&node);
        }
        pickler.close();
        assert_eq!(recorder.most, self.expected(events).peak, "the run's own sum, by hand and as it was played");
        (pickler.end(), self.expected(events))
    }

    /// The same as JSON.
    pub(crate) fn json(&self) -> (String, Expected) {
        let mut events = Vec::new();
        let recorder = self.play(&mut |event| events.push(event));
        let mut fields = vec![("device_traces", Node::List(vec![Node::List(events)]))];
        fields.extend(Self::around(&recorder.live));
        let mut out = String::new();
        json(&Node::Object(fields), &stacks(self.depth), &mut out);
        (out, self.expected(recorder.events))
    }
}

/// Bytes of every segment.
pub(crate) const SEGMENT: u64 = 1 << 21;

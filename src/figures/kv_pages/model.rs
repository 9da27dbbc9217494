//! What the figure shows: the example's six sequences with the reader's model, and what runtimes set aside for its cache.

use memory_wall_core::display::Figure;
use memory_wall_core::memory::kv_cache;
use memory_wall_core::memory::paging::EXAMPLE;
use memory_wall_core::serving::Serving;
use memory_wall_core::{Bytes, Checked, Engine, engines};

use super::vllm::{self, Server};
use crate::figures::{Answer, bindings, kv_cache as cache};
use crate::live::Snapshot;
use crate::words;

/// A runtime whose reservation is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runtime {
    Hf,
    Vllm,
    LlamaCpp,
}

impl Runtime {
    /// Every runtime, in the order of the table.
    pub const ALL: [Self; 3] = [Self::Hf, Self::Vllm, Self::LlamaCpp];

    const fn engine(self) -> Engine {
        match self {
            Self::Hf => Engine::Hf,
            Self::Vllm => Engine::Vllm,
            Self::LlamaCpp => Engine::LlamaCpp,
        }
    }

    /// Its name among the words and in the prose.
    pub const fn id(self) -> &'static str {
        self.engine().id()
    }
}

/// A value of `gpu_memory_utilization` that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    Less,
    Default,
    More,
}

impl Share {
    /// Every share, the least first.
    pub const ALL: [Self; 3] = [Self::Less, Self::Default, Self::More];

    /// In percent.
    pub fn percent(self) -> u32 {
        match self {
            Self::Less => 80,
            Self::Default => Serving::DEFAULT.utilization().whole_percent(),
            Self::More => 95,
        }
    }

    /// Its name in the prose.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Less => "80",
            Self::Default => "default",
            Self::More => "95",
        }
    }
}

/// What a runtime sets aside, in words: how much, and how many times the exact cache.
#[derive(Clone, Default, PartialEq)]
struct Aside {
    bytes: String,
    times: String,
}

/// What the figure shows.
#[derive(PartialEq)]
pub struct Model {
    token: Bytes,
    runtimes: [Aside; Runtime::ALL.len()],
    servers: [Server; Share::ALL.len()],
    sentence: String,
}

bindings! {
    /// What follows it on the page.
    pub enum Binding {
        /// What slots of the greatest length take.
        Slots,
        /// What pages take.
        Pages,
        /// What pages with a common beginning take.
        Shared,
        /// What a runtime sets aside.
        Bytes(Runtime),
        /// How many times the exact cache that is.
        Times(Runtime),
        /// What vLLM takes of the GPU.
        Taken(Share),
        /// Its pool.
        Pool(Share),
        /// Tokens in the pool.
        Tokens(Share),
        /// Requests at once.
        Requests(Share),
        /// vLLM's start in words.
        Sentence,
    }
}

impl crate::figures::Model for Model {
    const ID: &'static str = "kv_pages";
    type Binding = Binding;

    fn of(snapshot: &Snapshot) -> Self {
        let own = cache::generating(snapshot);
        let servers = Share::ALL.map(|share| vllm::server(snapshot, &own, share.percent()));
        let runtimes = Runtime::ALL.map(|runtime| match runtime {
            // What vLLM sets aside follows from the GPU, not from the tokens.
            Runtime::Vllm => {
                let Server { pool, times, .. } = vllm::server(snapshot, &own, Share::Default.percent());
                Aside { bytes: pool, times }
            }
            Runtime::Hf | Runtime::LlamaCpp => aside(snapshot, &own, runtime.engine()),
        });
        Self {
            token: kv_cache::bytes_per_token(&own),
            runtimes,
            servers,
            sentence: vllm::sentence(snapshot, &own, Share::Default.percent()),
        }
    }

    fn answer(&self, binding: Binding) -> Answer {
        let times = |tokens: u64| Answer::Size(Bytes(self.token.0 * u128::from(tokens)));
        let aside = |runtime: Runtime, what: fn(&Aside) -> &String| {
            Answer::Text(self.runtimes.get(runtime as usize).map(what).cloned().unwrap_or_default())
        };
        let server = |share: Share, what: fn(&Server) -> &String| {
            Answer::Text(self.servers.get(share as usize).map(what).cloned().unwrap_or_default())
        };
        match binding {
            Binding::Slots => times(EXAMPLE.slots()),
            Binding::Pages => times(EXAMPLE.pages()),
            Binding::Shared => times(EXAMPLE.shared_pages()),
            Binding::Bytes(runtime) => aside(runtime, |it| &it.bytes),
            Binding::Times(runtime) => aside(runtime, |it| &it.times),
            Binding::Taken(share) => server(share, |it| &it.taken),
            Binding::Pool(share) => server(share, |it| &it.pool),
            Binding::Tokens(share) => server(share, |it| &it.tokens),
            Binding::Requests(share) => server(share, |it| &it.requests),
            Binding::Sentence => Answer::Text(self.sentence.clone()),
        }
    }
}

/// What a runtime without a pool sets aside for the reader's cache, and how many times the exact one that is.
fn aside(of: &Snapshot, own: &Checked, engine: Engine) -> Aside {
    let served = own.with(|it| {
        it.serving.engine = engine;
        if let Some(gpu) = it.gpu {
            *it = it.on(gpu);
        }
    });
    let Ok(served) = served else {
        let no = words::cache_runtime_no();
        return Aside { bytes: no.into(), times: no.into() };
    };
    let reserved = engines::reservation(&served);
    Aside {
        bytes: of.size(reserved.bytes),
        times: Figure(reserved.bytes.0 as f64 / (reserved.exact.0.max(1) as f64)).to_string(),
    }
}

//! Words of which a list has one for each choice: `bucket/weights`, `bucket/kv_cache` and so on.

/// The words of a list. Its lines stand together in the files, in the order of the choices.
pub(crate) struct List {
    /// The place of the first.
    pub(super) first: usize,
    /// What the choices are called in the files.
    pub(super) choices: &'static [&'static str],
    /// What a place says.
    pub(super) say: fn(usize) -> &'static str,
}

impl List {
    /// The words of a choice by its place.
    pub(crate) fn nth(&self, place: usize) -> &'static str {
        (self.say)(self.first + place)
    }

    /// Whether its choices are these, in this order; asked while compiling.
    #[allow(clippy::indexing_slicing, reason = "worked out by the compiler, which refuses a wrong place")]
    pub(crate) const fn is_of(&self, ids: &[&str]) -> bool {
        let mut place = 0;
        while place < self.choices.len() && place < ids.len() && same(self.choices[place], ids[place]) {
            place += 1;
        }
        place == self.choices.len() && place == ids.len()
    }

    /// Whether it has a choice; asked while compiling.
    #[cfg(not(target_arch = "wasm32"))]
    #[allow(clippy::indexing_slicing, reason = "worked out by the compiler, which refuses a wrong place")]
    pub(crate) const fn has(&self, id: &str) -> bool {
        let mut place = 0;
        while place < self.choices.len() {
            if same(self.choices[place], id) {
                return true;
            }
            place += 1;
        }
        false
    }

    /// The words of a choice by what it is called, for tables whose ids are texts. That each is there is asked beside the table.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn of(&self, id: &str) -> &'static str {
        self.choices.iter().position(|known| *known == id).map_or("", |place| self.nth(place))
    }
}

/// Whether two texts are the same; the library compares none while compiling.
#[allow(clippy::indexing_slicing, reason = "worked out by the compiler, which refuses a wrong place")]
const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut place = 0;
    while place < one.len() && place < other.len() && one[place] == other[place] {
        place += 1;
    }
    place == one.len() && place == other.len()
}

/// The ids of all choices of an enumeration.
macro_rules! ids {
    ($choice:ty) => {{
        #[allow(clippy::indexing_slicing, reason = "worked out by the compiler, which refuses a wrong place")]
        const ALL: [&str; <$choice>::ALL.len()] = {
            let mut all = [""; <$choice>::ALL.len()];
            let mut place = 0;
            while place < all.len() {
                let choice = <$choice>::ALL[place];
                assert!(choice as usize == place, "choices stand in the order in which they are declared");
                all[place] = choice.id();
                place += 1;
            }
            all
        };
        &ALL
    }};
}

/// A function for each list that belongs to an enumeration. A choice without words, or words without a choice, does not compile.
macro_rules! lists {
    ($($name:ident($choice:ty) = $list:expr;)*) => {$(
        pub(crate) fn $name(choice: $choice) -> &'static str {
            const _: () = assert!(
                $list.is_of(ids!($choice)),
                concat!("the words of ", stringify!($list), " in content/en/ are not those of its choices, in their order")
            );
            $list.nth(choice as usize)
        }
    )*};
}

/// The same for a table whose ids are texts: it says while compiling whether the words of a list are those of its rows, in their order.
#[cfg(not(target_arch = "wasm32"))]
macro_rules! complete {
    ($list:expr, $row:ident in $table:expr, $id:expr) => {
        #[allow(clippy::indexing_slicing, reason = "worked out by the compiler, which refuses a wrong place")]
        const _: () = {
            let mut ids = [""; $table.len()];
            let mut place = 0;
            while place < ids.len() {
                let $row = &$table[place];
                ids[place] = $id;
                place += 1;
            }
            assert!(
                $list.is_of(&ids),
                concat!("the words of ", stringify!($list), " in content/en/ are not those of its table, in its order")
            );
        };
    };
}

/// What the program in the browser says too.
mod spoken {
    use memory_wall_core::hierarchy::Tier;
    use memory_wall_core::profile::{self, Suspect};
    use memory_wall_core::roofline::{Bound, Pass, Task};
    use memory_wall_core::scaling::{Purpose, Size};
    use memory_wall_core::worked::Item;
    use memory_wall_core::{Bucket, Phase, Verdict, allocation_trace};

    use crate::words;

    lists! {
        bucket(Bucket) = words::BUCKET;
        item(Item) = words::ITEM;
        verdict(Verdict) = words::VERDICT;
        phase(Phase) = words::TABLE_PHASE;
        tier(Tier) = words::TIER_NAME;
        bound(Bound) = words::ROOFLINE_BOUND;
        pass(Pass) = words::ROOFLINE_PASS;
        task(Task) = words::ROOFLINE_TASK;
        tensor_short(allocation_trace::Tensor) = words::OOM_SHORT;
        size(Size) = words::SCALING_NAME;
        purpose_what(Purpose) = words::SCALING_WHAT;
        profile_row(profile::Row) = words::PROFILE_ROW;
        profile_tensor(profile::Tensor) = words::PROFILE_TENSOR;
        suspect(Suspect) = words::PROFILE_SUSPECT;
    }
}
pub(crate) use spoken::*;

/// What levers are labelled with.
pub(super) mod labels {
    use memory_wall_core::display::ByteUnit;
    use memory_wall_core::roofline::Accounting;
    use memory_wall_core::roofline::operations::Kernels;
    use memory_wall_core::scaling::Purpose;
    use memory_wall_core::{AdapterPrecision, Attention, Checkpointing, Mode, Optimizer, Recipe, TargetSet};

    use crate::state::dimensions::Dimension;
    use crate::state::roofline::{Dots, Precisions};
    use crate::state::trace::TraceGpu;
    use crate::words::labels;

    lists! {
        mode(Mode) = labels::CONTROL_MODE;
        attention(Attention) = labels::CONTROL_ATTENTION;
        optimizer(Optimizer) = labels::CONTROL_OPTIMIZER;
        checkpointing(Checkpointing) = labels::CONTROL_CHECKPOINTING;
        recipe(Recipe) = labels::CONTROL_RECIPE;
        targets(TargetSet) = labels::CONTROL_TARGETS;
        adapters(AdapterPrecision) = labels::CONTROL_ADAPTERS;
        dimension(Dimension) = labels::DIMENSION;
        unit(ByteUnit) = labels::CONTROL_UNIT;
        unit_hint(ByteUnit) = labels::CONTROL_UNIT_HINT;
        kernels(Kernels) = labels::CONTROL_KERNELS;
        dots(Dots) = labels::CONTROL_DOTS;
        precisions(Precisions) = labels::CONTROL_PRECISIONS;
        accounting(Accounting) = labels::CONTROL_ACCOUNTING;
        trace_gpu(TraceGpu) = labels::CONTROL_CARD;
        purpose(Purpose) = labels::CONTROL_SCALE;
    }
}

/// What only the page says.
#[cfg(not(target_arch = "wasm32"))]
mod drawn {
    use memory_wall_core::advise::{Effort, Idle, Mitigation, Risk};
    use memory_wall_core::coping::Technique;
    use memory_wall_core::frontier::{DIRECTIONS, Status};
    use memory_wall_core::fusion::{Fusion, Kernel};
    use memory_wall_core::memory::StatePart;
    use memory_wall_core::memory::kinds::Kind;
    use memory_wall_core::pipeline::Schedule;
    use memory_wall_core::schemes::Scheme;
    use memory_wall_core::{allocation_trace, profile};

    use crate::figures::activation;
    use crate::figures::fixes::Fix;
    use crate::figures::kv_pages::Runtime;
    use crate::figures::sides::SIDES;
    use crate::figures::sort::Operation;
    use crate::figures::states::Column;
    use crate::sections::quiz::SECTIONS;
    use crate::words;

    lists! {
        kernel(Kernel) = words::KERNEL;
        fusion(Fusion) = words::FUSION;
        operation(Operation) = words::SORT_NAME;
        technique(Technique) = words::COPING_TECHNIQUE;
        technique_why(Technique) = words::COPING_WHY;
        status(Status) = words::FRONTIER_STATUS;
        cache_kind(Kind) = words::CACHE_KIND;
        schedule(Schedule) = words::SCHEDULE_NAME;
        runtime(Runtime) = words::CACHE_RUNTIME;
        tensor(allocation_trace::Tensor) = words::OOM_TENSOR;
        step_why(allocation_trace::Step) = words::OOM_WHY;
        scheme(Scheme) = words::PARALLEL_NAME;
        state_part(StatePart) = words::TRAIN_PART;
        column(Column) = words::TRAIN_COLUMN;
        activation_row(activation::Row) = words::TRAIN_KEPT;
        activation_row_about(activation::Row) = words::TRAIN_KEPT_ABOUT;
        fix(Fix) = words::TRAIN_FIX;
        fix_acts(Fix) = words::TRAIN_FIX_ACTS;
        fix_price(Fix) = words::TRAIN_FIX_PRICE;
        mitigation(Mitigation) = words::RUNG;
        idle(Idle) = words::LADDER_BECAUSE;
        effort(Effort) = words::LADDER_EFFORT;
        risk(Risk) = words::LADDER_RISK;
        profile_meaning(profile::Row) = words::PROFILE_MEANING;
    }

    complete!(words::FRONTIER_NAME, direction in DIRECTIONS, direction.id);
    complete!(words::TRAIN_SIDE, bucket in SIDES, bucket.id());
    complete!(words::QUIZ_OF, section in SECTIONS, section);

    /// What a figure is called outside the tutorial.
    pub fn figure_title(id: &str) -> &'static str {
        words::ALONE_TITLE.of(id)
    }

    /// What a section is called where its questions are listed.
    pub fn section_title(id: &str) -> &'static str {
        words::QUIZ_OF.of(id)
    }
}
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use drawn::*;
#[cfg(not(target_arch = "wasm32"))]
pub use drawn::{figure_title, section_title};

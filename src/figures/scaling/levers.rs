//! What the figure is operated with.

use leptos::prelude::*;
use memory_wall_core::scaling::Purpose;

use crate::components::{Radios, Select};
use crate::controls::choices::{self, worded};
use crate::controls::picks;
use crate::store::Store;
use crate::words::labels;

/// Serving or training, on which GPU, in which format.
pub fn levers(store: Store) -> impl IntoView {
    let purposes = worded(Purpose::ALL, Purpose::id, labels::purpose);
    view! {
        <Radios store pick=&picks::SCALE label=labels::control_scale() choices=purposes />
        <div class="rig-row scaling-row">
            <Select store pick=&picks::SCALING_GPU label=labels::control_gpu() choices=choices::gpus() late=true />
            <Select
                store
                pick=&picks::SCALING_WEIGHTS
                label=labels::control_weights()
                choices=choices::formats()
                late=true
                offers=choices::takes
            />
        </div>
    }
}

//! The way from the planner to the tutorial.

use leptos::prelude::*;

use crate::desk::Desk;
use crate::{browser, tutorial, words};

/// The way to the tutorial with the plan that is shown.
#[component]
pub(crate) fn Taught(desk: Desk) -> impl IntoView {
    let query = Memo::new(move |_| desk.sheet(|sheet| tutorial::write(&sheet.asked.plan)).flatten());
    view! {
        <p class="acts" hidden=move || query.with(Option::is_none)>
            <a class="taught" href=move || browser::tutorial(&query.get().unwrap_or_default())>
                {words::taught()}
            </a>
        </p>
    }
}

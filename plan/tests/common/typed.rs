//! Plans as they are typed.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use memory_wall_core::number::Kilo;
use memory_wall_plan::{Plan, by_name};

/// `name=value` with `&` between them.
pub(crate) fn plan(options: &str) -> Plan {
    let mut plan = Plan::new("");
    for (name, value) in options.split('&').filter_map(|part| part.split_once('=')) {
        plan.set(name, by_name(name).unwrap().kind.typed(value, Kilo::Decimal).unwrap());
    }
    plan
}

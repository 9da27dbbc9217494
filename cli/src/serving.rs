//! What a program takes beside weights and cache, in lines for people.

use memory_wall_core::display::{ByteUnit, Grouped};
use memory_wall_core::engines::{Inspection, inspect};
use memory_wall_core::{Checked, Engine};

use crate::text::{Side, Table, wrapped};
use crate::words;

/// What the program of a scenario takes; `None` where none serves it.
pub(crate) fn inspected(scenario: &Checked) -> Option<Inspection> {
    let inspection = inspect(scenario);
    (inspection.engine != Engine::Exact).then_some(inspection)
}

/// The lines; nothing where no program serves the scenario.
pub(crate) fn text(scenario: &Checked, unit: ByteUnit) -> String {
    let Some(inspection) = inspected(scenario) else { return String::new() };
    let Inspection { engine, version, source, cache, parts, pool } = inspection;
    let size = |bytes| words::size(bytes, unit);
    let program = format!("{} {version}. Source: {source}.", words::engine(engine));
    let mut text = format!("\n{}", wrapped(&program, 2));
    let reserved = format!("Cache: {} exactly, {} set aside. {}", size(cache.exact), size(cache.bytes), cache.how);
    text += &wrapped(&reserved, 2);
    if let Some(pool) = pool {
        let what = if pool.pool.0 < 0 { "missing for pages" } else { "left for pages" };
        let share = format!(
            "Of its share of {} it has {} {what}: room for {} tokens.",
            size(pool.requested),
            size(pool.pool.magnitude()),
            Grouped(pool.tokens)
        );
        text += &wrapped(&share, 2);
    }
    let mut table = Table::new(&[
        ("Beside weights and cache", Side::Left),
        ("Bucket", Side::Left),
        ("Size", Side::Right),
        ("Bytes", Side::Right),
        ("How it is known", Side::Left),
    ]);
    for part in parts.iter() {
        let bytes = Grouped(part.bytes.0).to_string();
        table.row([
            words::item(part.item),
            words::bucket(part.bucket).into(),
            size(part.bytes),
            bytes,
            part.basis.label().into(),
        ]);
    }
    text + "\n" + &table.text()
}

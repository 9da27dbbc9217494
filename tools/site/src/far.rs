//! Which functions of a program are in its far part, by their names: see `src/far.rs` for the tutorial's.
//! Of the planner's it is what reads a `config.json`.

use std::path::Path;

use memory_wall_app::figures::Places;
use memory_wall_app::registry::{FAR_LEVERS, FIGURES};
use memory_wall_squeeze::{Cut, plain};

use crate::{program, script};

/// Functions of the far part that the near part calls. It asks `far::came()` first.
const GATES: [&str; 10] = [
    "<memory_wall_app::charts::roofline::Plot>::of",
    "<memory_wall_app::charts::roofline::Plot>::ghosts_of",
    "<memory_wall_app::browser::canvas::Host>::draw",
    "memory_wall_app::browser::canvas::print",
    "memory_wall_app::browser::controls::take_profile",
    "memory_wall_app::browser::keep::buttons",
    "memory_wall_app::browser::points::mark",
    "memory_wall_app::browser::points::watch",
    "memory_wall_app::browser::watch::far_sentence",
    "memory_wall_app::figures::models::far::",
];

/// Functions that the far part alone takes from the table: what its listeners do, and what its sliders say.
const FOUND_THERE: [&str; 5] = [
    "browser::keep::buttons::{closure",
    "browser::points::watch::{closure",
    "memory_wall_app::controls::quantities::speed",
    "memory_wall_app::figures::activation::model::consequence",
    "memory_wall_app::figures::serve_cost::model::consequence",
];

/// What says of a function by its name which part it is in.
type Cutter = fn(&str) -> Cut;

/// The programs that are in two parts, as Trunk calls them, and what is in the far part of each.
const PARTED: [(&str, Cutter); 2] = [("memory-wall-app", cut), ("memory-wall-planner", cut_of_planner)];

/// How a program is cut, by the file that Trunk staged.
pub(crate) fn cut_of(staged: &str) -> Option<Cutter> {
    PARTED.iter().find(|(program, _)| staged.starts_with(program)).map(|(_, cut)| *cut)
}

/// What the far part of a program is called until it has a name of its own.
pub(crate) fn staged(program: &str) -> String {
    let program = PARTED.iter().map(|(name, _)| *name).find(|name| program.starts_with(name)).unwrap_or(program);
    format!("far-of-{program}.wasm")
}

/// The part that was cut off a program, whose file goes; none in a program that is in one piece.
pub(crate) fn taken(staging: &Path, program: &str) -> Result<Option<Vec<u8>>, String> {
    let path = staging.join(staged(program));
    if !path.exists() {
        return Ok(None);
    }
    program::taken_out(&path).map(Some)
}

/// The glue with what takes the far part.
pub(crate) fn taking(glue: &str) -> String {
    glue.to_owned() + &script::without_comments(include_str!("far.js"))
}

/// The tutorial's, with what brings it when the reader comes near.
pub(crate) fn glued(glue: &str) -> String {
    taking(glue) + &script::without_comments(include_str!("far_near.js"))
}

/// What a function of this name is in the planner: whatever reads a `config.json` comes when one is handed over.
fn cut_of_planner(name: &str) -> Cut {
    let name = plain(name);
    if name.starts_with("<memory_wall_plan::own_model::Read>::by_family") {
        Cut::Gate
    } else if name.starts_with("memory_wall_core::config::") {
        Cut::Later
    } else {
        Cut::Stays
    }
}

/// Whether something on a page needs the far part: a binding, or a group of levers.
pub(crate) fn is_needed(html: &str) -> bool {
    let values = |name: &str| {
        let mark = format!(" {name}=\"");
        let pieces = html.split(&mark).skip(1).map(|rest| rest.split('"').next().unwrap_or_default().to_owned());
        pieces.collect::<Vec<_>>()
    };
    let mut places = Places::default();
    let mut is_far = |mark: &str| {
        let place = mark.rsplit(['=', '?', '*']).next().unwrap_or_default();
        let place = places.read(place.split('/').next().unwrap_or_default());
        place.and_then(|place| FIGURES.get(place.figure)).is_some_and(|figure| figure.far)
    };
    values("data-b").iter().flat_map(|marks| marks.split(' ')).any(&mut is_far)
        || values("data-levers").iter().any(|id| FAR_LEVERS.iter().any(|group| group.id == id))
}

/// The first figure that needs it.
pub(crate) fn first() -> &'static str {
    FIGURES.iter().find(|figure| figure.far && figure.view.is_some()).map_or("", |figure| figure.id)
}

/// What a function of this name is.
pub(crate) fn cut(name: &str) -> Cut {
    let name = plain(name);
    let model = name.starts_with("<memory_wall_app::figures::models::Shown<") && name.contains(", true> as ");
    let levers = name.contains("memory_wall_app::registry::FAR_LEVERS::{closure");
    if name.starts_with("core::ptr::drop_in_place") {
        // Short, so that it may be merged with one that is needed at once.
        Cut::Stays
    } else if GATES.iter().any(|gate| name.starts_with(gate)) {
        Cut::Gate
    } else if model || levers || FOUND_THERE.iter().any(|found| name.contains(found)) {
        Cut::Later
    } else {
        Cut::Stays
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_told_apart_by_their_names() {
        for (name, is) in [
            ("<memory_wall_app[1f]::charts::roofline::Plot>::of", Cut::Gate),
            (
                "<memory_wall_app[1f]::figures::models::Shown<memory_wall_app[1f]::figures::states::model::Model, true> as memory_wall_app[1f]::figures::models::Live>::answer",
                Cut::Later,
            ),
            (
                "<memory_wall_app[1f]::figures::models::Shown<memory_wall_app[1f]::figures::rig::model::Model, false> as memory_wall_app[1f]::figures::models::Live>::answer",
                Cut::Stays,
            ),
            (
                "<memory_wall_app[1f]::registry::FAR_LEVERS::{closure#3} as core[2a]::ops::function::FnOnce<()>>::call_once",
                Cut::Later,
            ),
            (
                "<memory_wall_app[1f]::registry::LEVERS::{closure#3} as core[2a]::ops::function::FnOnce<()>>::call_once",
                Cut::Stays,
            ),
            (
                "memory_wall_app[1f]::browser::page::listen::<memory_wall_app[1f]::browser::keep::buttons::{closure#0}>::{closure#0}",
                Cut::Later,
            ),
            ("core[2a]::ptr::drop_in_place::<memory_wall_app[1f]::charts::roofline::Plot>", Cut::Stays),
        ] {
            assert_eq!(cut(name), is, "{name}");
        }
        let planner = cut_of("memory-wall-planner-1f_bg.wasm").unwrap();
        assert_eq!(planner("<memory_wall_plan[1f]::own_model::Read>::by_family"), Cut::Gate);
        assert_eq!(planner("memory_wall_core[1f]::config::families::llama::llama"), Cut::Later);
        assert_eq!(planner("memory_wall_core[1f]::evaluate::evaluate"), Cut::Stays);
        assert!(cut_of("memory-wall-exchange-1f_bg.wasm").is_none());
    }

    #[test]
    fn pages_need_it_for_bindings_and_levers_of_figures_far_down() {
        let at = |id: &str| FIGURES.iter().position(|figure| figure.id == id).unwrap();
        let (near, far) = (at("buckets"), at("states"));
        for (html, needed) in [
            (format!("<p data-b=\"{near}:3 y={near}:2\">"), false),
            (format!("<p data-b=\"{near}:3 y={far}:2\">"), true),
            (format!("<p data-b=\"data-over?{far}:1\">"), true),
            (format!("<p data-b=\"*{far}:1\">"), true),
            ("<div data-levers=\"calculator\">".to_owned(), false),
            ("<div data-levers=\"states\">".to_owned(), true),
        ] {
            assert_eq!(is_needed(&html), needed, "{html}");
        }
        assert_eq!(first(), "kv_cache");
    }

    #[test]
    fn the_script_gives_the_far_part_what_it_imports_from() {
        let glue = glued("let wasm;\n");
        assert!(
            glue.starts_with("let wasm;\n") && glue.contains(&format!("{{ {}: wasm }}", memory_wall_squeeze::FIRST)),
            "{glue}"
        );
    }
}

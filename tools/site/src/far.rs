//! Which functions of a program come later and in which part, by their names: see `src/far.rs` for the tutorial's.
//! Of the planner's it is what reads a `config.json`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use memory_wall_app::figures::{Model as _, Places};
use memory_wall_app::registry::{FAR_LEVERS, FIGURES, Figure};
use memory_wall_app::{dials, predictions};
use memory_wall_squeeze::{Cut, Parts, plain};

use crate::program::File;
use crate::{program, read, script, write};

/// The figures of each part of the tutorial's program; all others are in one more. A page of one figure fetches the parts that its
/// figure needs, and the build says which page is the heaviest: `cargo xtask build` holds it to a bound.
const PARTS: [&[&str]; 3] = [
    // What is guessed and answered, which other figures have beside them.
    &[predictions::Model::ID, dials::Model::ID, "quiz"],
    // With its drawing half as large as all others together.
    &["roofline"],
    // How long passes take and what is sent, and what stands beside that on some page.
    &["hierarchy", "kv_cache", "minute", "parallel", "serve_cost", "worked_roofline"],
];

/// These two ask the engine for times. What they both call, most of a part, is a part of its own.
const SHARE: [usize; 2] = [1, 2];

/// Functions of a figure in a far part that the near part calls. It asks `far::came()` or `far::plots()` first.
const GATES: [(&str, &str); 8] = [
    ("<memory_wall_app::charts::roofline::Plot>::of", "roofline"),
    ("<memory_wall_app::charts::roofline::Plot>::ghosts_of", "roofline"),
    ("<memory_wall_app::browser::canvas::Host>::draw", "roofline"),
    ("memory_wall_app::browser::canvas::print", "roofline"),
    ("memory_wall_app::browser::controls::take_profile", "profile"),
    ("memory_wall_app::browser::keep::buttons", "roofline"),
    ("memory_wall_app::browser::points::mark", "roofline"),
    ("memory_wall_app::browser::points::watch", "roofline"),
];

/// Functions that a far part alone takes from the table: what its listeners do, and what its sliders say.
const FOUND_THERE: [(&str, &str); 8] = [
    ("browser::keep::buttons::{closure", "roofline"),
    ("browser::points::watch::{closure", "roofline"),
    ("memory_wall_app::browser::watch::sentence_of_hierarchy", "hierarchy"),
    ("memory_wall_app::browser::watch::sentence_of_oom", "oom"),
    ("memory_wall_app::browser::watch::sentence_of_roofline", "roofline"),
    ("memory_wall_app::controls::quantities::speed", "roofline"),
    ("memory_wall_app::figures::activation::model::consequence", "activation"),
    ("memory_wall_app::figures::serve_cost::model::consequence", "serve_cost"),
];

/// How the name of what makes the model of a far figure begins.
const MADE: &str = "memory_wall_app::figures::models::far::<";

/// A program in parts, as Trunk calls it.
struct Parted {
    program: &'static str,
    /// What says of a function by its name which part it is in.
    cut: fn(&str) -> Cut,
    /// Parts that share what they call.
    share: &'static [usize],
}

/// The programs that are in parts.
const PARTED: [Parted; 2] = [
    Parted { program: "memory-wall-app", cut, share: &SHARE },
    Parted { program: "memory-wall-planner", cut: cut_of_planner, share: &[] },
];

/// The far parts of the tutorial's program.
pub(crate) struct Far {
    pub(crate) parts: Vec<File>,
    /// Which of them each figure needs.
    pub(crate) needs: Needs,
}

/// The parts that a figure needs, by its name.
pub(crate) type Needs = BTreeMap<String, BTreeSet<usize>>;

/// What a part is called until it has a name of its own.
fn staged(program: &str, part: usize) -> String {
    format!("far-{part}-of-{program}.wasm")
}

/// Where it stands what figures need until it is asked for.
const NEEDS: &str = "far-needs.txt";

/// Cuts a program that Trunk staged at this path, and stages its far parts, made smaller; nothing if it is in one piece.
pub(crate) fn cut_off(
    path: &Path,
    wasm: &[u8],
    smaller: impl Fn(&[u8]) -> Result<Vec<u8>, String>,
) -> Result<Option<Vec<u8>>, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let Some(Parted { program, cut, share }) = PARTED.iter().find(|parted| name.starts_with(parted.program)) else {
        return Ok(None);
    };
    let Parts { first, later, needs } = memory_wall_squeeze::parted(wasm, cut, share)?;
    for (part, later) in later.iter().enumerate() {
        write(&path.with_file_name(staged(program, part)), smaller(later)?)?;
    }
    if *program == program::STAGED {
        let needs = needs.iter().map(|(name, parts)| (plain(name), parts)).collect::<Vec<_>>();
        complete(&needs.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>())?;
        write(&path.with_file_name(NEEDS), written(&needs))?;
    }
    Ok(Some(first))
}

/// An error where a far figure has not all of its own functions. Of two that are equal, `wasm-opt` leaves one, and a figure whose function
/// is gone would call one of another part; what was written into its caller would take all that it calls along.
fn complete(names: &[&str]) -> Result<(), String> {
    let has = |is: &dyn Fn(&str) -> bool| names.iter().any(|name| is(name));
    for Figure { id, .. } in FIGURES.iter().filter(|figure| figure.far) {
        let own = |name: &str, what: &str| name.ends_with(what) && modelled(name) == Some(id);
        if !has(&|name| own(name, "::follow"))
            || !has(&|name| own(name, "::answer"))
            || !has(&|name| own(name, ">") && name.starts_with(MADE))
        {
            return Err(format!("a function of the figure {id} was merged with one of another figure"));
        }
    }
    let gate = GATES.iter().find(|(gate, _)| !has(&|name| name.starts_with(gate)));
    let found = FOUND_THERE.iter().find(|(found, _)| !has(&|name| name.contains(found)));
    if let Some((gone, _)) = gate.or(found) {
        return Err(format!(
            "{gone} is not in the program: what calls it has all of it, or it was merged with another"
        ));
    }
    let hydrates = |group: usize| has(&|name| name.contains(&format!("FAR_LEVERS::{{closure#{group}}}")));
    match FAR_LEVERS.iter().enumerate().find(|(group, _)| !hydrates(*group)) {
        Some((_, group)) => Err(format!("what hydrates the levers {} was merged with what does others", group.id)),
        None => Ok(()),
    }
}

/// What figures need, as lines, from what their functions need.
fn written(needs: &[(String, &BTreeSet<usize>)]) -> String {
    let mut figures = BTreeMap::<_, BTreeSet<_>>::new();
    for (name, parts) in needs {
        if let Some((figure, _)) = owner(name) {
            figures.entry(figure).or_default().extend(*parts);
        }
    }
    let line = |(figure, parts): (&str, BTreeSet<usize>)| {
        parts.iter().fold(figure.to_owned(), |line, part| format!("{line} {part}")) + "\n"
    };
    figures.into_iter().map(line).collect()
}

/// The same, as it was written, by figure.
pub(crate) fn needs(staging: &Path) -> Result<Needs, String> {
    let path = staging.join(NEEDS);
    let text = read(&path)?;
    std::fs::remove_file(&path).map_err(|error| format!("{} cannot be removed: {error}", path.display()))?;
    let line = |line: &str| {
        let mut words = line.split(' ');
        Some((words.next()?.to_owned(), words.filter_map(|part| part.parse().ok()).collect()))
    };
    Ok(text.lines().filter_map(line).collect())
}

/// The parts that were cut off a program, whose files go; none of a program that is in one piece.
pub(crate) fn taken(staging: &Path, program: &str) -> Result<Vec<Vec<u8>>, String> {
    let paths = (0..).map(|part| staging.join(staged(program, part)));
    paths.take_while(|path| path.exists()).map(|path| program::taken_out(&path)).collect()
}

/// Parts as attributes for the script of a figure: files with their addresses, and their digests in the same order.
pub(crate) fn attributes<'far>(parts: impl Iterator<Item = &'far File>) -> String {
    let (files, digests): (Vec<_>, Vec<_>) =
        parts.map(|File { name, integrity }| (format!("../{name}"), integrity.as_str())).unzip();
    format!(" data-far=\"{}\" data-far-integrity=\"{}\"", files.join(" "), digests.join(" "))
}

/// The glue with what takes the far parts.
pub(crate) fn taking(glue: &str) -> String {
    glue.to_owned() + &script::without_comments(include_str!("far.js"))
}

/// The tutorial's, with what brings these parts when the reader comes near.
pub(crate) fn glued(glue: &str, parts: &[File]) -> String {
    let part = |File { name, integrity }: &File| format!("['./{name}', '{integrity}']");
    let parts = parts.iter().map(part).collect::<Vec<_>>().join(", ");
    let near = script::without_comments(include_str!("far_near.js")).replace("{{parts}}", &format!("[{parts}]"));
    taking(glue) + &near
}

/// What a function of this name is in the planner: whatever reads a `config.json` comes when one is handed over.
fn cut_of_planner(name: &str) -> Cut {
    let name = plain(name);
    if name.starts_with("<memory_wall_plan::own_model::Read>::by_family") {
        Cut::Gate(0)
    } else if name.starts_with("memory_wall_core::config::") {
        Cut::Later(0)
    } else {
        Cut::Stays
    }
}

impl Far {
    /// The parts that something on a page needs: a binding, or a group of levers.
    pub(crate) fn of(&self, html: &str) -> impl Iterator<Item = &File> {
        let figures = figures(html);
        let needed = figures.iter().filter_map(|figure| self.needs.get(*figure)).flatten().collect::<BTreeSet<_>>();
        self.parts.iter().enumerate().filter(move |(part, _)| needed.contains(part)).map(|(_, file)| file)
    }
}

/// The far figures of which something stands on a page: a binding, or a group of levers.
fn figures(html: &str) -> BTreeSet<&'static str> {
    let values = |name: &str| {
        let mark = format!(" {name}=\"");
        let pieces = html.split(&mark).skip(1).map(|rest| rest.split('"').next().unwrap_or_default().to_owned());
        pieces.collect::<Vec<_>>()
    };
    let mut places = Places::default();
    let mut bound = |mark: &str| {
        let place = mark.rsplit(['=', '?', '*']).next().unwrap_or_default();
        let place = places.read(place.split('/').next().unwrap_or_default());
        place.and_then(|place| FIGURES.get(place.figure)).filter(|figure| figure.far).map(|figure| figure.id)
    };
    let mut figures =
        values("data-b").iter().flat_map(|marks| marks.split(' ')).filter_map(&mut bound).collect::<BTreeSet<_>>();
    let groups = values("data-levers");
    figures.extend(
        FAR_LEVERS.iter().filter(|group| groups.iter().any(|id| id == group.id)).map(|group| levered(group.id)),
    );
    figures
}

/// The figure that a group of levers belongs to: one that has a second has it under `-more`.
fn levered(group: &'static str) -> &'static str {
    group.strip_suffix("-more").unwrap_or(group)
}

/// The first figure that needs it.
pub(crate) fn first() -> &'static str {
    FIGURES.iter().find(|figure| figure.far && figure.view.is_some()).map_or("", |figure| figure.id)
}

/// The figure that a function of this name belongs to, if it is in a far part, and whether the near part calls it.
fn owner(name: &str) -> Option<(&'static str, bool)> {
    // Short, so that it may be merged with one that is needed at once.
    if name.starts_with("core::ptr::drop_in_place") {
        return None;
    }
    let found = |all: &[(&str, &'static str)], is: &dyn Fn(&str) -> bool| {
        all.iter().find(|(mark, _)| is(mark)).map(|(_, figure)| *figure)
    };
    if let Some(figure) = found(&GATES, &|gate| name.starts_with(gate)) {
        return Some((figure, true));
    }
    let made = name.starts_with(MADE);
    if made || name.starts_with("<memory_wall_app::figures::models::Shown<") && name.contains(", true> as ") {
        return Some((modelled(name)?, made));
    }
    if let Some((_, group)) = name.split_once("memory_wall_app::registry::FAR_LEVERS::{closure#") {
        // They have their numbers by their order.
        let group = group.split('}').next().and_then(|group| FAR_LEVERS.get(group.parse::<usize>().ok()?))?;
        return Some((levered(group.id), false));
    }
    found(&FOUND_THERE, &|found| name.contains(found)).map(|figure| (figure, false))
}

/// The figure whose model the name of a function speaks of.
fn modelled(name: &str) -> Option<&'static str> {
    let (before, _) = name.split_once("::model::Model")?;
    let id = match before.rsplit("::").next()? {
        "predictions" => predictions::Model::ID,
        "dials" => dials::Model::ID,
        figure => figure,
    };
    FIGURES.iter().map(|figure| figure.id).find(|known| *known == id)
}

/// What a function of this name is.
fn cut(name: &str) -> Cut {
    let Some((figure, gate)) = owner(&plain(name)) else { return Cut::Stays };
    let part = PARTS.iter().position(|figures| figures.contains(&figure)).unwrap_or(PARTS.len());
    if gate { Cut::Gate(part) } else { Cut::Later(part) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_told_apart_by_their_names() {
        for (name, is) in [
            ("<memory_wall_app[1f]::charts::roofline::Plot>::of", Cut::Gate(1)),
            ("memory_wall_app[1f]::browser::watch::sentence_of_hierarchy", Cut::Later(2)),
            ("memory_wall_app[1f]::browser::controls::take_profile", Cut::Gate(3)),
            ("memory_wall_app[1f]::figures::models::far::<memory_wall_app[1f]::dials::model::Model>", Cut::Gate(0)),
            (
                "<memory_wall_app[1f]::figures::models::Shown<memory_wall_app[1f]::figures::states::model::Model, true> as memory_wall_app[1f]::figures::models::Live>::answer",
                Cut::Later(3),
            ),
            (
                "<memory_wall_app[1f]::figures::models::Shown<memory_wall_app[1f]::predictions::model::Model, true> as memory_wall_app[1f]::figures::models::Live>::follow",
                Cut::Later(0),
            ),
            (
                "<memory_wall_app[1f]::figures::models::Shown<memory_wall_app[1f]::figures::rig::model::Model, false> as memory_wall_app[1f]::figures::models::Live>::answer",
                Cut::Stays,
            ),
            (
                "<memory_wall_app[1f]::registry::FAR_LEVERS::{closure#3} as core[2a]::ops::function::FnOnce<()>>::call_once",
                Cut::Later(1),
            ),
            (
                "<memory_wall_app[1f]::registry::LEVERS::{closure#3} as core[2a]::ops::function::FnOnce<()>>::call_once",
                Cut::Stays,
            ),
            (
                "memory_wall_app[1f]::browser::page::listen::<memory_wall_app[1f]::browser::keep::buttons::{closure#0}>::{closure#0}",
                Cut::Later(1),
            ),
            ("memory_wall_app[1f]::figures::serve_cost::model::consequence", Cut::Later(2)),
            ("core[2a]::ptr::drop_in_place::<memory_wall_app[1f]::charts::roofline::Plot>", Cut::Stays),
        ] {
            assert_eq!(cut(name), is, "{name}");
        }
        assert_eq!(FAR_LEVERS[3].id, "roofline-more");
        assert_eq!(cut_of_planner("<memory_wall_plan[1f]::own_model::Read>::by_family"), Cut::Gate(0));
        assert_eq!(cut_of_planner("memory_wall_core[1f]::config::families::llama::llama"), Cut::Later(0));
        assert_eq!(cut_of_planner("memory_wall_core[1f]::evaluate::evaluate"), Cut::Stays);
    }

    #[test]
    fn every_figure_that_is_named_is_a_far_one() {
        let far = |id: &str| {
            FIGURES.iter().any(|figure| figure.id == id && figure.far)
                || FAR_LEVERS.iter().any(|group| levered(group.id) == id)
        };
        let named = PARTS.iter().copied().flatten().copied();
        for id in named.chain(GATES.iter().chain(&FOUND_THERE).map(|(_, id)| *id)) {
            assert!(far(id), "{id}");
        }
        for group in FAR_LEVERS {
            assert!(FIGURES.iter().any(|figure| figure.id == levered(group.id)), "{}", group.id);
        }
    }

    /// The functions of all far figures, as they are in the program.
    fn all() -> Vec<String> {
        let model = |id: &str| match id {
            "predict" => "predictions::model::Model".to_owned(),
            "dial" => "dials::model::Model".to_owned(),
            "quiz" => "quiz::model::Model".to_owned(),
            id => format!("figures::{id}::model::Model"),
        };
        let models = FIGURES.iter().filter(|figure| figure.far).flat_map(|figure| {
            let model = format!("memory_wall_app::{}", model(figure.id));
            let shown = |what: &str| {
                format!("<memory_wall_app::figures::models::Shown<{model}, true> as memory_wall_app::figures::models::Live>::{what}")
            };
            [shown("follow"), shown("answer"), format!("{MADE}{model}>")]
        });
        let groups = (0..FAR_LEVERS.len())
            .map(|group| format!("<memory_wall_app::registry::FAR_LEVERS::{{closure#{group}}} as core::ops::function::FnOnce<()>>::call_once"));
        let marked = GATES.iter().chain(&FOUND_THERE).map(|(mark, _)| (*mark).to_owned());
        models.chain(groups).chain(marked).collect()
    }

    #[test]
    fn a_figure_that_lacks_a_function_is_found_out() {
        let all = all();
        let complete_without = |left_out: Option<usize>| {
            let left = all.iter().enumerate().filter(|(nth, _)| Some(*nth) != left_out).map(|(_, name)| name.as_str());
            complete(&left.collect::<Vec<_>>())
        };
        assert_eq!(complete_without(None), Ok(()));
        for (nth, name) in all.iter().enumerate() {
            assert!(complete_without(Some(nth)).is_err(), "{name}");
        }
    }

    #[test]
    fn what_figures_need_is_read_as_it_is_written() {
        let (own, both) = (BTreeSet::from([1]), BTreeSet::from([1, 4]));
        let levers =
            "<memory_wall_app::registry::FAR_LEVERS::{closure#3} as core::ops::function::FnOnce<()>>::call_once";
        let needs = [
            (levers.to_owned(), &own),
            ("<memory_wall_app::charts::roofline::Plot>::of".to_owned(), &both),
            (format!("{MADE}memory_wall_app::figures::states::model::Model>"), &own),
        ];
        let folder = std::env::temp_dir().join("memory-wall-far-needs");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(NEEDS), written(&needs)).unwrap();
        assert_eq!(super::needs(&folder).unwrap(), [("roofline".to_owned(), both), ("states".to_owned(), own)].into());
        assert!(!folder.join(NEEDS).exists());
    }

    #[test]
    fn pages_need_parts_for_bindings_and_levers_of_figures_far_down() {
        let at = |id: &str| FIGURES.iter().position(|figure| figure.id == id).unwrap();
        let (near, states, dial) = (at("buckets"), at("states"), at("dial"));
        for (html, needed) in [
            (format!("<p data-b=\"{near}:3 y={near}:2\">"), vec![]),
            (format!("<p data-b=\"{near}:3 y={states}:2\">"), vec!["states"]),
            (format!("<p data-b=\"data-over?{states}:1\"><b data-b=\"{dial}:0\">"), vec!["dial", "states"]),
            (format!("<p data-b=\"*{states}:1\">"), vec!["states"]),
            ("<div data-levers=\"calculator\">".to_owned(), vec![]),
            ("<div data-levers=\"roofline-more\">".to_owned(), vec!["roofline"]),
        ] {
            assert_eq!(figures(&html).into_iter().collect::<Vec<_>>(), needed, "{html}");
        }
        let file = |name: &str| File { name: name.to_owned(), integrity: format!("sha256-{name}") };
        let needs = [("states".to_owned(), [1].into()), ("dial".to_owned(), [0, 2].into())].into();
        let far = Far { parts: ["a", "b", "c"].map(file).into(), needs };
        let html = format!("<p data-b=\"{dial}:0\">");
        assert_eq!(attributes(far.of(&html)), " data-far=\"../a ../c\" data-far-integrity=\"sha256-a sha256-c\"");
        assert_eq!(first(), "kv_cache");
    }

    #[test]
    fn the_script_gives_the_far_parts_what_they_import_from() {
        let part = File { name: "far-a.wasm".to_owned(), integrity: "sha256-a".to_owned() };
        let glue = glued("let wasm;\n", &[part]);
        assert!(glue.contains("PARTS = [['./far-a.wasm', 'sha256-a']];"), "{glue}");
        assert!(
            glue.starts_with("let wasm;\n") && glue.contains(&format!("{{ {}: wasm }}", memory_wall_squeeze::FIRST)),
            "{glue}"
        );
    }
}

//! The release build and how large it is.

use std::fs;
use std::path::{Path, PathBuf};

use crate::alone;
use crate::budgets;
use crate::place::Place;
use crate::process::Job;
use crate::table;
use crate::tools;
use crate::transfer::{self, Asset};

/// Node holds both compressors; one start of it serves all files.
const NODE_SCRIPT: &str = "const fs = require('fs'), z = require('zlib');
for (const file of process.argv.slice(1)) {
  const data = fs.readFileSync(file);
  console.log(z.gzipSync(data, { level: 9 }).length + ' ' + z.brotliCompressSync(data).length);
}";

/// The sizes of one file after gzip and brotli, where they are known.
type Compressed = (Option<u64>, Option<u64>);

/// One file of the built page with its sizes in bytes.
struct File {
    name: String,
    first_visit: bool,
    kept: bool,
    raw: u64,
    gzip: Option<u64>,
    brotli: Option<u64>,
}

/// Flags that take this machine's folders out of the program: they are nobody's business and weigh a kilobyte.
/// Cargo adds them to those of `.cargo/config.toml`.
fn remapped() -> String {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let registry = home.map(|home| home.join("registry").join("src"));
    let folders =
        registry.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten().map(|entry| entry.path());
    // A folder with a space in its name cannot be written into this variable; its paths then stay.
    let flags =
        folders.map(|folder| format!("--remap-path-prefix={}=", folder.display())).filter(|flag| !flag.contains(' '));
    flags.collect::<Vec<_>>().join(" ")
}

/// Trunk, with the one setting of its callers that it does not understand removed.
pub(crate) fn trunk(place: &Place, arguments: &[&str]) -> Job {
    let job = place.job("trunk");
    let job = match tools::optimiser(place) {
        Some(program) => job.env("MEMORY_WALL_WASM_OPT", program),
        None => job,
    };
    job.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", remapped())
        .args(arguments)
        // Trunk reads NO_COLOR as true or false and stops at the usual `1`.
        .without("NO_COLOR")
        .env("TRUNK_SKIP_VERSION_CHECK", "true")
}

/// Builds the page for release into `dist`.
pub(crate) fn build(place: &Place) -> Result<(), String> {
    let job = trunk(place, &["build", "--release", "--locked"]);
    match place.release() {
        Some(date) => job.env("MEMORY_WALL_RELEASE", date).run(),
        // A variable left over from elsewhere makes no release.
        None => job.without("MEMORY_WALL_RELEASE").run(),
    }
}

/// Prints the sizes of `dist`; an error when a first visit transfers more than the budget.
pub(crate) fn report(place: &Place) -> Result<(), String> {
    let files = measure(place)?;
    print!("\n{}", sizes_table(&files));
    let Some(first_visit) = total(files.iter().filter(|file| file.first_visit).map(|file| file.gzip)) else {
        println!("No sizes after gzip, so no check of the budget: install Node.js or gzip.");
        return Ok(());
    };
    let (sum, budget) = (kilobytes(first_visit), kilobytes(budgets::FIRST_VISIT_BUDGET));
    println!("Transferred on first visit (marked *): {sum} kB after gzip; budget {budget} kB.");
    if first_visit > budgets::FIRST_VISIT_BUDGET {
        return Err(format!("A first visit transfers {sum} kB, over the budget of {budget} kB."));
    }
    let is_document = |file: &File| file.name == "index.html";
    part(&files, "document", ", which its first paint waits for", &is_document, budgets::DOCUMENT_BUDGET)?;
    let is_reference = |file: &File| file.name.starts_with("reference");
    part(&files, "reference", ", a page of its own", &is_reference, budgets::REFERENCE_BUDGET)?;
    let is_asked = |file: &File| file.name.starts_with("explain-");
    let is_third = |file: &File| file.name.starts_with("explain-run");
    let is_views = |file: &File| file.name.starts_with("explain-views");
    let is_second = |file: &File| is_asked(file) && !is_third(file) && !is_views(file);
    let is_of = |file: &File, page: &str| {
        file.name.strip_prefix(page).is_some_and(|rest| rest == ".html" || rest.starts_with('-'))
    };
    let is_class = |file: &File| budgets::CLASS_BUDGETS.iter().any(|(page, _)| is_of(file, page));
    let is_kept = |file: &File| file.kept && !is_asked(file) && !is_class(file);
    part(&files, "app", " with every page, kept for use without a network", &is_kept, budgets::KEPT_BUDGET)?;
    part(&files, "second program", ", fetched when a reader hands something over", &is_second, budgets::SECOND_BUDGET)?;
    part(&files, "third program", ", fetched after it, which explains what it read", &is_third, budgets::THIRD_BUDGET)?;
    part(
        &files,
        "program for snapshots",
        " with their pictures, fetched with the first one",
        &is_views,
        budgets::VIEWS_BUDGET,
    )?;
    let is_teach = |file: &File| file.name.starts_with("teach");
    part(&files, "page for teachers", ", another", &is_teach, budgets::TEACH_BUDGET)?;
    let is_exchange = |file: &File| file.name.starts_with("planner-exchange");
    let is_planner_far = |file: &File| file.name.starts_with("planner-far");
    let is_planner = |file: &File| {
        let starts = ["plan.html", "planner", "words-", "offline-", "icon.svg"];
        // Its style sheet is that of frames: the page has its styles in it.
        starts.iter().any(|start| file.name.starts_with(start))
            && !is_exchange(file)
            && !is_planner_far(file)
            && file.name.strip_suffix(".css").is_none()
    };
    part(&files, "planner", ", another, with its program", &is_planner, budgets::PLANNER_BUDGET)?;
    let what = ", which reads the config of a model";
    part(&files, "far part of the planner's program", what, &is_planner_far, budgets::PLANNER_FAR_BUDGET)?;
    part(&files, "planner's second program", ", for other programs' files", &is_exchange, budgets::EXCHANGE_BUDGET)?;
    for (page, budget) in budgets::CLASS_BUDGETS {
        part(&files, &format!("page {page}"), ", for teachers too", &|file| is_of(file, page), budget)?;
    }
    let alone = files.iter().filter(|file| file.name.starts_with("embed/")).max_by_key(|file| file.gzip);
    let alone = alone.map(|file| file.name.clone()).unwrap_or_default();
    let is_alone = |file: &File| file.name == alone;
    part(&files, "heaviest figure by itself", ", where there is another", &is_alone, budgets::FURTHER_BUDGET)?;
    heaviest_alone(place, &files)?;
    let is_far = |file: &File| file.name.starts_with("far-");
    part(&files, "far parts of the program", ", for figures far down", &is_far, budgets::FAR_BUDGET)?;
    part(&files, "program", " in it", &|file| file.name.starts_with("memory-wall-"), budgets::PROGRAM_BUDGET)
}

/// Prints what the heaviest figure by itself transfers; an error when it is over the budget of all of them.
fn heaviest_alone(place: &Place, files: &[File]) -> Result<(), String> {
    let sizes = files.iter().filter_map(|file| Some((file.name.as_str(), file.gzip?))).collect::<Vec<_>>();
    let figures = alone::figures(place, &sizes)?;
    let (page, heaviest) = figures.first().ok_or("dist has no figure by itself")?;
    let (size, most) = (kilobytes(*heaviest), kilobytes(budgets::ALONE_BUDGET));
    println!("The heaviest figure with all that it needs, {page}: {size} kB; budget {most} kB.");
    if *heaviest > budgets::ALONE_BUDGET {
        return Err(format!("The figure {page} with all that it needs is {size} kB, over the budget of {most} kB."));
    }
    Ok(())
}

/// Prints the size of the files that are a part; an error when there are none or they are over the part's own budget.
fn part(files: &[File], name: &str, more: &str, is: &dyn Fn(&File) -> bool, budget: u64) -> Result<(), String> {
    let sizes = files.iter().filter(|file| is(file)).map(|file| file.gzip);
    let whole = total(sizes).filter(|size| *size > 0).ok_or(format!("dist has no {name}"))?;
    let (size, most) = (kilobytes(whole), kilobytes(budget));
    println!("The {name}{more}: {size} kB; budget {most} kB.");
    if whole > budget {
        return Err(format!("The {name} is {size} kB, over the budget of {most} kB."));
    }
    Ok(())
}

fn measure(place: &Place) -> Result<Vec<File>, String> {
    let dist = place.dist();
    let paths = files(&dist)?;
    let mut assets = Vec::new();
    let mut raw = Vec::new();
    for path in &paths {
        let bytes = fs::read(path).map_err(|error| format!("{} is not readable: {error}.", path.display()))?;
        let is_text =
            path.extension().is_some_and(|ending| ["html", "css", "js", "mjs"].iter().any(|known| ending == *known));
        raw.push(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        assets.push(Asset {
            name: name(&dist, path),
            text: is_text.then(|| String::from_utf8_lossy(&bytes).into_owned()),
        });
    }
    if !assets.iter().any(|asset| asset.name == "index.html") {
        return Err("dist/index.html is missing.".to_owned());
    }
    let marks = transfer::first_visit(&assets).into_iter().zip(transfer::kept(&assets)).collect::<Vec<_>>();
    let files = assets.into_iter().zip(marks).zip(raw).zip(compressed(place, &paths)).map(
        |(((asset, (first_visit, kept)), raw), (gzip, brotli))| File {
            name: asset.name,
            first_visit,
            kept,
            raw,
            gzip,
            brotli,
        },
    );
    Ok(files.collect())
}

/// Every file of a folder and of those in it, in order.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut paths = Vec::new();
    collect(folder, &mut paths)?;
    paths.sort();
    Ok(paths)
}

/// What a file is called in a folder, with forward slashes.
pub(crate) fn name(folder: &Path, path: &Path) -> String {
    path.strip_prefix(folder).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), String> {
    let unreadable = |error| format!("{} is not readable: {error}.", folder.display());
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            collect(&path, paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

/// The sizes after gzip and brotli, one pair for each path.
fn compressed(place: &Place, paths: &[PathBuf]) -> Vec<Compressed> {
    let by_node = place.job("node").args(["-e"]).quiet_args([NODE_SCRIPT]).quiet_args(paths);
    if let Ok(sizes) = by_node.text().and_then(|text| pairs(&text, paths.len())) {
        return sizes;
    }
    for tool in ["gzip", "brotli"] {
        if place.program(tool).is_none() {
            println!("There is no Node.js and no {tool} here, so the sizes after {tool} are left out.");
        }
    }
    let length = |tool: &str, path: &PathBuf| {
        place.program(tool)?;
        let bytes = place.job(tool).args(["-9", "-c"]).quiet_args([path]).output().ok()?;
        u64::try_from(bytes.len()).ok()
    };
    paths.iter().map(|path| (length("gzip", path), length("brotli", path))).collect()
}

/// Reads one line `gzip brotli` for each file.
fn pairs(text: &str, files: usize) -> Result<Vec<Compressed>, String> {
    let sizes: Option<Vec<_>> = text
        .lines()
        .map(|line| {
            let (gzip, brotli) = line.split_once(' ')?;
            Some((Some(gzip.parse().ok()?), Some(brotli.parse().ok()?)))
        })
        .collect();
    sizes.filter(|sizes| sizes.len() == files).ok_or_else(|| "Node's sizes make no sense.".to_owned())
}

fn sizes_table(files: &[File]) -> String {
    let cell = |bytes: Option<u64>| bytes.map_or_else(|| "-".to_owned(), kilobytes);
    let mut rows = vec![table::row(["file (kB, 1 kB = 1000 bytes)", "raw", "gzip", "brotli"])];
    for file in files {
        let mark = if file.first_visit { " *" } else { "" };
        rows.push(vec![format!("{}{mark}", file.name), kilobytes(file.raw), cell(file.gzip), cell(file.brotli)]);
    }
    rows.push(vec![
        "total".to_owned(),
        cell(total(files.iter().map(|file| Some(file.raw)))),
        cell(total(files.iter().map(|file| file.gzip))),
        cell(total(files.iter().map(|file| file.brotli))),
    ]);
    table::layout(&rows)
}

/// The sum, or nothing when one part is unknown.
fn total(mut parts: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    parts.try_fold(0_u64, |sum, part| sum.checked_add(part?))
}

fn kilobytes(bytes: u64) -> String {
    // Tenths, rounded up, so that a size just over the budget never reads as the budget itself.
    let tenths = bytes.div_ceil(100);
    format!("{}.{}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::{kilobytes, pairs, total};

    #[test]
    fn sizes_are_rounded_up() {
        assert_eq!(kilobytes(150_000), "150.0");
        assert_eq!(kilobytes(150_001), "150.1");
        assert_eq!(kilobytes(0), "0.0");
    }

    #[test]
    fn an_unknown_part_makes_an_unknown_sum() {
        assert_eq!(total([Some(1), Some(2)].into_iter()), Some(3));
        assert_eq!(total([Some(1), None].into_iter()), None);
    }

    #[test]
    fn every_file_needs_its_sizes() {
        assert_eq!(pairs("10 8\n5 4", 2), Ok(vec![(Some(10), Some(8)), (Some(5), Some(4))]));
        assert!(pairs("10 8", 2).is_err());
        assert!(pairs("10 x", 1).is_err());
    }
}

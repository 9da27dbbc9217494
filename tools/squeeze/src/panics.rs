//! What a program says when it panics. In a browser nobody hears it: Rust's standard library has nowhere to print to there, and then
//! traps. Without the words it traps at once, as the page sees it either way, and what only words need goes when `wasm-opt` runs again.

use std::collections::HashSet;
use std::convert::Infallible;
use std::ops::Range;

use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{CodeSection, DataSection, Function, Module};
use wasmparser::{Data, DataKind, FunctionBody, KnownCustom, Name, Operator, Parser, Payload, TypeRef, ValType};

/// What the names of functions start with that say something and then trap, and of which none comes back.
const STARTS: [&str; 15] = [
    "core::panicking::",
    "core::cell::panic_already_",
    "core::cell::lazy::panic_poisoned",
    "core::option::expect_failed",
    "core::option::unwrap_failed",
    "core::result::unwrap_failed",
    "core::slice::copy_from_slice_impl::len_mismatch_fail",
    "core::slice::index::slice_index_fail",
    "core::str::slice_error_fail",
    "alloc::alloc::handle_alloc_error",
    "alloc::raw_vec::capacity_overflow",
    "std::alloc::rust_oom",
    "std::panicking::panic_",
    "std::sync::lazy_lock::panic_poisoned",
    "std::thread::local::panic_access_error",
];
/// Not one of them: whether a panic is under way, which is asked wherever a lock is let go.
const COMES_BACK: &str = "std::panicking::panic_count";
/// How values are written for those who look for a mistake.
const FOR_DEBUGGING: &str = " as core::fmt::Debug>::fmt";
/// What is said in a panic alone, by the standard library and by Leptos: nothing reads it once the functions above trap.
const WORDS: [&str; 25] = [
    "Value is None because the `ssr` feature is active. When `ssr` is enabled, tachys skips creating client-side values (event handlers, directives, properties) to avoid cross-thread panics on multithreaded servers. If you are building a client-side (CSR or hydrate) target, this means the `ssr` feature is being activated unintentionally via Cargo feature unification; another dependency in your workspace is enabling it. Run `cargo tree -e features -i tachys` to identify the source.",
    "Executor::spawn called, but no global 'spawn' function is configured.",
    "Executor::spawn_local called, but no global 'spawn_local' function is configured.",
    "FnOnce called more than once",
    "Hash table capacity overflow",
    "LazyCell instance has previously been poisoned",
    "LazyLock instance has previously been poisoned",
    "Once instance has previously been poisoned",
    "RefCell already borrowed",
    "RefCell already mutably borrowed",
    "Tried to access a reactive value that has already been disposed.",
    "Tried to shrink to a larger capacity",
    "`async fn` resumed after completion",
    "a Display implementation returned an error unexpectedly",
    "a formatting trait implementation returned an error when the underlying stream did not",
    "assertion failed: psize <= size + max_overhead",
    "assertion failed: psize >= size + min_overhead",
    "attempt to calculate the remainder with a divisor of zero",
    "attempt to calculate the remainder with overflow",
    "attempt to divide by zero",
    "called `Option::unwrap()` on a `None` value",
    "called `Result::unwrap()` on an `Err` value",
    "cannot access a Thread Local Storage value during or after destruction: ",
    "internal error: entered unreachable code",
    "one-time initialization may not be performed recursively",
];
/// The bytes of a place in the code: where the name of its file is and how long that is, its line and its column.
const PLACE: usize = 16;
/// The longest name of a file, the last line and the last column that a place is believed to have.
const MOST: [u32; 3] = [200, 50_000, 1_000];

/// The same program, which traps where it would say first why, and without the places of panics in its data.
///
/// Its functions still need their names: an error where none of them panics. In a program that nothing but panics writes values for
/// debugging in, these come out empty: wherever it might panic, a table of functions keeps them.
pub fn without_panics(wasm: &[u8], debugs: bool) -> Result<Vec<u8>, String> {
    let unread = |error: &dyn std::fmt::Display| format!("the program cannot be read: {error}");
    let (mut imported, mut silent, mut empty) = (0_u32, HashSet::new(), HashSet::new());
    let (mut kinds, mut own) = (Vec::new(), Vec::new());
    for payload in Parser::new(0).parse_all(wasm) {
        match payload.map_err(|error| unread(&error))? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    imported += u32::from(matches!(import.map_err(|error| unread(&error))?.ty, TypeRef::Func(_)));
                }
            }
            Payload::TypeSection(section) => {
                kinds = section
                    .into_iter_err_on_gc_types()
                    .collect::<Result<Vec<_>, _>>()
                    .map_err(|error| unread(&error))?;
            }
            Payload::FunctionSection(section) => {
                own = section.into_iter().collect::<Result<Vec<_>, _>>().map_err(|error| unread(&error))?;
            }
            Payload::CustomSection(section) => {
                let KnownCustom::Name(names) = section.as_known() else { continue };
                for part in names {
                    let Name::Function(functions) = part.map_err(|error| unread(&error))? else { continue };
                    for naming in functions {
                        let naming = naming.map_err(|error| unread(&error))?;
                        let name = plain(naming.name);
                        if panics(&name) {
                            silent.insert(naming.index);
                        } else if !debugs && name.contains(FOR_DEBUGGING) {
                            empty.insert(naming.index);
                        }
                    }
                }
            }
            _ => {}
        }
    }
    if silent.is_empty() {
        return Err("the program names no function that panics".to_owned());
    }
    // Whether it failed is a number.
    let kind = |kind: &u32| usize::try_from(*kind).ok().and_then(|kind| kinds.get(kind));
    let writes = |of: &u32| kind(of).is_some_and(|function| function.results() == [ValType::I32]);
    let empty = (imported..).zip(&own).filter(|(function, kind)| empty.contains(function) && writes(kind));
    let mut module = Module::new();
    let mut quiet = Quiet { next: imported, empty: empty.map(|(function, _)| function).collect(), silent };
    quiet.parse_core_module(&mut module, Parser::new(0), wasm).map_err(|error| unread(&error))?;
    Ok(module.finish())
}

/// A name without the digests of crates, which Rust writes in brackets.
pub fn plain(name: &str) -> String {
    let (mut plain, mut depth) = (String::new(), 0_u32);
    for letter in name.chars() {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(letter),
            _ => {}
        }
    }
    plain
}

/// Whether a function of this name never comes back.
fn panics(name: &str) -> bool {
    let of_vectors = name.starts_with("<alloc::vec::Vec<") && name.ends_with("::assert_failed");
    of_vectors || (STARTS.iter().any(|start| name.starts_with(start)) && !name.starts_with(COMES_BACK))
}

/// Writes a program again in which these functions trap, or write nothing.
struct Quiet {
    /// The number of the function that is written next.
    next: u32,
    silent: HashSet<u32>,
    empty: HashSet<u32>,
}

impl Reencode for Quiet {
    type Error = Infallible;

    fn parse_function_body(&mut self, code: &mut CodeSection, body: FunctionBody<'_>) -> Result<(), Error> {
        let [silent, empty] = [&self.silent, &self.empty].map(|functions| functions.contains(&self.next));
        self.next += 1;
        let mut short = Function::new([]);
        match (silent, empty) {
            (true, _) => short.instructions().unreachable().end(),
            (_, true) => short.instructions().i32_const(0).end(),
            _ => return utils::parse_function_body(self, code, body),
        };
        code.function(&short);
        Ok(())
    }

    fn parse_data(&mut self, section: &mut DataSection, data: Data<'_>) -> Result<(), Error> {
        let DataKind::Active { memory_index, offset_expr } = data.kind else {
            return utils::parse_data(self, section, data);
        };
        let start = match offset_expr.get_operators_reader().read()? {
            Operator::I32Const { value } => u32::try_from(value).unwrap_or_default(),
            _ => 0,
        };
        let offset = self.const_expr(offset_expr)?;
        section.active(memory_index, &offset, without_words(without_places(data.data, start)));
        Ok(())
    }
}

/// The data that stands at this address, with zeros for places in the code and for the names of their files.
fn without_places(data: &[u8], start: u32) -> Vec<u8> {
    let mut rest = data.to_vec();
    let aligned = usize::try_from(start.wrapping_neg() % 4).unwrap_or_default();
    for at in (aligned..data.len()).step_by(4) {
        let Some(file) = file(data, start, at) else { continue };
        for range in [at..at + PLACE, file] {
            rest.get_mut(range).into_iter().for_each(|bytes| bytes.fill(0));
        }
    }
    rest
}

/// The same with zeros for the words of panics.
fn without_words(mut data: Vec<u8>) -> Vec<u8> {
    for words in WORDS {
        let mut from = 0;
        while let Some(at) = data.get(from..).and_then(|rest| place_of(words.as_bytes(), rest)) {
            let range = from + at..from + at + words.len();
            from = range.end;
            data.get_mut(range).into_iter().for_each(|bytes| bytes.fill(0));
        }
    }
    data
}

fn place_of(words: &[u8], data: &[u8]) -> Option<usize> {
    data.windows(words.len()).position(|part| part == words)
}

/// Where the name of the file stands, if there is a place in the code here.
fn file(data: &[u8], start: u32, at: usize) -> Option<Range<usize>> {
    let (numbers, _) = data.get(at..at + PLACE)?.as_chunks::<4>();
    let [name, length, line, column] = numbers else { return None };
    let [name, length, line, column] = [name, length, line, column].map(|number| u32::from_le_bytes(*number));
    let believed = [length, line, column].into_iter().zip(MOST).all(|(number, most)| (1..=most).contains(&number));
    let name = usize::try_from(name.checked_sub(start)?).ok()?;
    let range = name..name.checked_add(usize::try_from(length).ok()?)?;
    let text = std::str::from_utf8(data.get(range.clone())?).ok()?;
    let of_code = |letter: char| letter.is_ascii_alphanumeric() || "/\\._- ".contains(letter);
    (believed && text.strip_suffix(".rs")?.chars().all(of_code)).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_encoder::{
        ConstExpr, EntityType, ExportKind, ExportSection, FunctionSection, ImportSection, MemorySection, MemoryType,
        NameMap, NameSection, TypeSection,
    };

    const START: i32 = 1_024;

    /// A program with these functions of its own, each a single call of the import, and this data.
    fn program(names: &[&str], data: &[u8]) -> Vec<u8> {
        program_of(&[], names, data)
    }

    /// The same with functions that give this back.
    fn program_of(results: &[wasm_encoder::ValType], names: &[&str], data: &[u8]) -> Vec<u8> {
        let (mut types, mut imports, mut functions) =
            (TypeSection::new(), ImportSection::new(), FunctionSection::new());
        types.ty().function([], results.iter().copied());
        imports.import("glue", "a", EntityType::Function(0));
        let mut memories = MemorySection::new();
        memories.memory(MemoryType { minimum: 1, maximum: None, memory64: false, shared: false, page_size_log2: None });
        let (mut exports, mut code, mut naming) = (ExportSection::new(), CodeSection::new(), NameMap::new());
        for (function, name) in (1..).zip(names) {
            functions.function(0);
            naming.append(function, name);
            exports.export(name, ExportKind::Func, function);
            let mut body = Function::new([]);
            body.instructions().call(0).end();
            code.function(&body);
        }
        let (mut datas, mut custom) = (DataSection::new(), NameSection::new());
        datas.active(0, &ConstExpr::i32_const(START), data.iter().copied());
        custom.functions(&naming);
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&functions).section(&memories).section(&exports);
        module.section(&code).section(&datas).section(&custom);
        module.finish()
    }

    /// Whether each function of a program traps at once, and its data.
    fn read(wasm: &[u8]) -> (Vec<bool>, Vec<u8>) {
        let (mut traps, mut data) = (Vec::new(), Vec::new());
        for payload in Parser::new(0).parse_all(wasm) {
            match payload.unwrap() {
                Payload::CodeSectionEntry(body) => {
                    let first = body.get_operators_reader().unwrap().read().unwrap();
                    traps.push(matches!(first, Operator::Unreachable));
                }
                Payload::DataSection(section) => {
                    section.into_iter().for_each(|piece| data.extend_from_slice(piece.unwrap().data));
                }
                _ => {}
            }
        }
        (traps, data)
    }

    #[test]
    fn what_panics_traps_and_all_else_stays() {
        let names = [
            ("core[c5930c85a12de822]::panicking::panic_fmt", true),
            ("core::panicking::panic_display::h587b0ef3f1066a78", true),
            ("core[c5930c85a12de822]::option::unwrap_failed", true),
            ("<alloc[3ca501edff3f0c7c]::vec::Vec<_, _>>::remove::assert_failed", true),
            ("std[a543996e6e7dbf1e]::panicking::panic_handler::{closure#0}", true),
            ("std[a543996e6e7dbf1e]::panicking::panic_count::is_zero_slow_path", false),
            ("core::option::Option<T>::unwrap_or_default::h2de6601dc412164e", false),
            ("<core[c5930c85a12de822]::panicking::AssertKind as core[c5930c85a12de822]::fmt::Debug>::fmt", false),
            ("hashbrown::raw::Fallibility::capacity_overflow::hf479ddd5bda02b78", false),
            ("memory_wall_app::browser::start", false),
        ];
        for debugs in [true, false] {
            let quiet = without_panics(&program(&names.map(|(name, _)| name), b""), debugs).unwrap();
            // The one that is for debugging gives back nothing, so that it writes nothing either.
            assert_eq!(read(&quiet).0, names.map(|(_, panics)| panics));
        }
    }

    #[test]
    fn words_of_panics_are_zeros_and_others_stay() {
        let data = b"attempt to divide by zero, a zero; RefCell already borrowedRefCell already borrowed.";
        let (_, rest) = read(&without_panics(&program(&["core::panicking::panic"], data), true).unwrap());
        let wanted = [&[0; 25][..], b", a zero; ", &[0; 48], b"."].concat();
        assert_eq!(rest, wanted);
        assert!(
            WORDS
                .iter()
                .all(|words| words.len() > 20 && WORDS.iter().filter(|other| other.contains(words)).count() == 1)
        );
    }

    #[test]
    fn what_is_for_debugging_writes_nothing_where_only_panics_need_it() {
        let names = ["<u8 as core[c5930c85a12de822]::fmt::Debug>::fmt", "core::panicking::panic"];
        let wasm = program_of(&[wasm_encoder::ValType::I32], &names, b"");
        let first = |debugs| {
            let quiet = without_panics(&wasm, debugs).unwrap();
            let mut bodies = Parser::new(0).parse_all(&quiet).filter_map(|payload| match payload.unwrap() {
                Payload::CodeSectionEntry(body) => {
                    Some(format!("{:?}", body.get_operators_reader().unwrap().read().unwrap()))
                }
                _ => None,
            });
            bodies.next().unwrap()
        };
        assert_eq!([true, false].map(first), ["Call { function_index: 0 }", "I32Const { value: 0 }"]);
    }

    /// A place in a file whose name stands this far into the data.
    fn place(name: u32, length: u32, line: u32, column: u32) -> Vec<u8> {
        let start = u32::try_from(START).unwrap();
        [start + name, length, line, column].iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    #[test]
    fn places_of_panics_are_zeros_and_other_data_stays() {
        let files = *b"src/some file.rs----content.txt-";
        let near_misses = [
            // Another ending, no line, and a name that goes on outside.
            place(20, 12, 7, 5),
            place(0, 16, 0, 5),
            place(u32::MAX >> 1, 16, 7, 5),
        ];
        let data = [files.to_vec(), near_misses.concat(), place(0, 16, 120, 9)].concat();
        let (_, quiet) = read(&without_panics(&program(&["core::panicking::panic"], &data), true).unwrap());
        let blank = [vec![0; 16], files[16..].to_vec(), near_misses.concat(), vec![0; PLACE]].concat();
        assert_eq!(quiet, blank);
    }

    #[test]
    fn a_program_without_names_is_refused() {
        assert!(without_panics(&program(&["main"], b""), true).unwrap_err().contains("no function that panics"));
        assert!(without_panics(b"no program", true).unwrap_err().contains("cannot be read"));
    }
}

//! A program in parts, of which the first is started and others come later, in any order. All work in one memory and one table: the
//! first keeps the places of the functions that come, and each of the others puts its own there when it is started with what the
//! first exports.
//!
//! What comes later is named by its functions; whatever only they call comes with them. The program itself has to see to it that
//! none of them is called before: a place that is still empty traps.

mod division;
mod plan;
mod program;

use std::collections::BTreeSet;

use division::Division;
use plan::Plan;
use program::Program;

/// What the first part is called where the others import from it.
pub const FIRST: &str = "p";

/// The parts of a program.
pub struct Parts {
    /// What is started.
    pub first: Vec<u8>,
    /// What comes later, by the numbers of the parts; the last is what several of those that share call.
    pub later: Vec<Vec<u8>>,
    /// The functions that were named for a part, each with the parts without which it cannot be called.
    pub needs: Vec<(String, BTreeSet<usize>)>,
}

/// What a function is for the cut, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// It stays, unless only what comes later calls it.
    Stays,
    /// It comes later, in this part, if it is found by way of the table alone.
    Later(usize),
    /// It comes later, in this part, and others call it by way of the table.
    Gate(usize),
}

/// The program in parts: functions are told apart by their names, which it still needs. What several parts call comes with each of
/// them; what several of those that `share` call is a part of its own, so that none of it comes twice.
///
/// # Errors
///
/// Where it cannot be read, has something that cannot be cut, or where nothing would come later.
pub fn parted(wasm: &[u8], cut: impl Fn(&str) -> Cut, share: &[usize]) -> Result<Parts, String> {
    let unread = |error: &dyn std::fmt::Display| format!("the program cannot be read: {error}");
    let program = Program::read(wasm).map_err(|error| unread(&error))?;
    if let Some(why) = program.hindered {
        return Err(format!("the program {why}, and cannot be cut"));
    }
    let Division { parts, needs } = Division::of(&program, &cut, share);
    let last = parts.values().flatten().max().copied().ok_or("the program has no function that comes later")?;
    let plan = Plan::of(&program, parts)?;
    let first = plan.first_module(&program, wasm).map_err(|error| unread(&error))?;
    let later = (0..=last).map(|part| plan.later_module(part, &program, wasm));
    let later = later.collect::<Result<_, _>>().map_err(|error| unread(&error))?;
    Ok(Parts { first, later, needs })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use wasm_encoder::{
        CodeSection, ConstExpr, ElementSection, Elements, EntityType, ExportKind, ExportSection, Function,
        FunctionSection, GlobalSection, ImportSection, MemorySection, Module, NameMap, NameSection, RefType,
        TableSection, TableType, TypeSection, ValType,
    };
    use wasmparser::Validator;

    /// Its functions by name, with whom each calls; `glue` is imported. In the table are the third and those that come later.
    const FUNCTIONS: [(&str, &[u32]); 9] = [
        ("start", &[0, 2, 4]),
        ("shared", &[0]),
        ("in the table", &[2]),
        ("gate", &[2, 5]),
        ("only the gate's", &[6, 0]),
        ("only its own", &[]),
        ("later", &[5, 2]),
        ("later, and called", &[9]),
        ("only the last one's", &[]),
    ];

    fn program() -> Vec<u8> {
        let (mut types, mut imports, mut functions) =
            (TypeSection::new(), ImportSection::new(), FunctionSection::new());
        types.ty().function([], []);
        imports.import("glue", "glue", EntityType::Function(0));
        let (mut tables, mut memories, mut globals) = (TableSection::new(), MemorySection::new(), GlobalSection::new());
        let table =
            TableType { element_type: RefType::FUNCREF, table64: false, minimum: 6, maximum: Some(6), shared: false };
        tables.table(table);
        tables.table(TableType { element_type: RefType::EXTERNREF, maximum: None, ..table });
        memories.memory(wasm_encoder::MemoryType {
            minimum: 1,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        let kind = wasm_encoder::GlobalType { val_type: ValType::I32, mutable: true, shared: false };
        globals.global(kind, &ConstExpr::i32_const(7));
        let (mut exports, mut elements, mut code) = (ExportSection::new(), ElementSection::new(), CodeSection::new());
        exports.export("start", ExportKind::Func, 1);
        elements.active(None, &ConstExpr::i32_const(1), Elements::Functions([3, 7, 8, 0].as_slice().into()));
        let mut naming = NameMap::new();
        for (function, (name, calls)) in (1..).zip(FUNCTIONS) {
            functions.function(0);
            naming.append(function, name);
            let mut body = Function::new([]);
            for called in calls {
                body.instructions().call(*called);
            }
            // What it works on is of all parts.
            body.instructions()
                .global_get(0)
                .i32_load(wasm_encoder::MemArg {
                    offset: 0,
                    align: 2,
                    target: wasm_encoder::MemArgTarget::Memory(0),
                    ordering: None,
                })
                .drop()
                .end();
            code.function(&body);
        }
        let mut names = NameSection::new();
        names.functions(&naming);
        let mut module = Module::new();
        module
            .section(&types)
            .section(&imports)
            .section(&functions)
            .section(&tables)
            .section(&memories)
            .section(&globals);
        module.section(&exports).section(&elements).section(&code).section(&names);
        module.finish()
    }

    fn cut(name: &str) -> Cut {
        match name {
            "gate" => Cut::Gate(0),
            _ if name.starts_with("later") => Cut::Later(0),
            _ => Cut::Stays,
        }
    }

    /// How many functions of its own a part has, whom each calls, and what its table gets.
    fn read(wasm: &[u8]) -> (usize, Vec<BTreeSet<u32>>, BTreeMap<u32, u32>) {
        Validator::new().validate_all(wasm).unwrap();
        let program = Program::read(wasm).unwrap();
        let slots = program.slots.iter().flat_map(|(function, slots)| slots.iter().map(|slot| (*slot, *function)));
        (program.bodies.len(), program.calls.clone(), slots.collect())
    }

    #[test]
    fn what_comes_later_comes_with_all_that_only_it_calls() {
        let Parts { first, later, .. } = parted(&program(), cut, &[]).unwrap();
        // Start, the shared one, that of the table, and what traps.
        let (own, calls, slots) = read(&first);
        assert_eq!(own, 4);
        // The gate is called by way of a new place at the end of the table.
        assert_eq!(calls, [[0, 2].into(), [0].into(), [2].into(), BTreeSet::new()]);
        assert_eq!(slots, [(1, 3), (2, 4), (3, 4), (4, 0)].into());
        // It imports the glue's function and the shared one, which are its functions 0 and 1.
        let (own, calls, slots) = read(&later[0]);
        assert_eq!(own, 6);
        assert_eq!(
            calls,
            [[1, 3].into(), [0, 4].into(), BTreeSet::new(), [1, 3].into(), [7].into(), BTreeSet::new()]
                as [BTreeSet<u32>; 6]
        );
        assert_eq!(slots, [(2, 5), (3, 6), (6, 2)].into());
    }

    /// Whom a part calls by way of the table, by the places there.
    fn doors(wasm: &[u8]) -> Vec<BTreeSet<i32>> {
        let program = Program::read(wasm).unwrap();
        let through = |body: &wasmparser::FunctionBody<'_>| {
            let operators = body.get_operators_reader().unwrap().into_iter().map(Result::unwrap).collect::<Vec<_>>();
            let pairs = operators.windows(2).filter_map(|pair| match pair {
                [wasmparser::Operator::I32Const { value }, wasmparser::Operator::CallIndirect { .. }] => Some(*value),
                _ => None,
            });
            pairs.collect()
        };
        program.bodies.iter().map(through).collect()
    }

    #[test]
    fn what_several_parts_call_comes_with_each_or_is_a_part_of_its_own() {
        let two = |name: &str| match cut(name) {
            Cut::Later(_) if name == "later" => Cut::Later(1),
            cut => cut,
        };
        let all = |part: &[u8]| doors(part).into_iter().flatten().collect::<BTreeSet<_>>();
        // The gate's part and that of what is later both call number 5 and what that calls.
        let Parts { first, later, needs } = parted(&program(), two, &[]).unwrap();
        assert_eq!(later.iter().map(|part| read(part).0).collect::<Vec<_>>(), [5, 3]);
        assert!(later.iter().all(|part| doors(part).iter().all(BTreeSet::is_empty)));
        assert_eq!(
            needs,
            [
                ("gate".to_owned(), [0].into()),
                ("later".to_owned(), [1].into()),
                ("later, and called".to_owned(), [0].into())
            ]
        );
        assert_eq!(all(&first), [6].into());
        let Parts { later, needs, .. } = parted(&program(), two, &[0, 1]).unwrap();
        assert_eq!(later.iter().map(|part| read(part).0).collect::<Vec<_>>(), [3, 1, 2]);
        // It is called by a place behind that of the gate, which it fills itself.
        assert_eq!((all(&later[0]), all(&later[1])), ([7].into(), [7].into()));
        assert_eq!(read(&later[2]).2.keys().collect::<Vec<_>>(), [&7]);
        assert_eq!(
            needs.iter().map(|(_, parts)| parts.clone()).collect::<Vec<_>>(),
            [[0, 2].into(), [1, 2].into(), BTreeSet::from([0])]
        );
    }

    #[test]
    fn whoever_is_called_by_what_stays_stays_unless_it_is_a_gate() {
        let named = |name: &str| if name == "shared" { Cut::Later(0) } else { cut(name) };
        let Parts { first, .. } = parted(&program(), named, &[]).unwrap();
        assert_eq!(read(&first).0, 4, "as if it had not been named");
        let exported = |name: &str| if name == "start" { Cut::Gate(0) } else { cut(name) };
        assert_eq!(read(&parted(&program(), exported, &[]).unwrap().first).0, 4, "and so is what the page calls");
    }

    #[test]
    fn a_program_in_which_nothing_comes_later_is_refused() {
        let refusal = parted(&program(), |_| Cut::Stays, &[]).err().unwrap();
        assert!(refusal.contains("no function that comes later"), "{refusal}");
        assert!(parted(b"no program", cut, &[]).err().unwrap().contains("cannot be read"));
    }
}

//! How a program is cut, and both parts written by that.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::convert::Infallible;

use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{
    CodeSection, ConstExpr, ElementSection, Elements, EntityType, ExportKind, ExportSection, Function, FunctionSection,
    ImportSection, Instruction, Module, TableType, TypeSection,
};
use wasmparser::{
    CodeSectionReader, CustomSectionReader, FunctionBody, FunctionSectionReader, GlobalType, MemoryType, Operator,
    Parser, Payload,
};

use super::FIRST;
use super::program::Program;

/// What the first part lends the second.
#[derive(Clone, Copy)]
enum Lent {
    Memory(MemoryType),
    Table(wasmparser::TableType),
    Global(GlobalType),
    /// By its type.
    Function(u32),
}

fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// How a program is cut.
pub(super) struct Plan {
    /// The functions that come later, by rising numbers.
    later: Vec<u32>,
    /// The place of each function in its own part.
    places: HashMap<u32, u32>,
    /// Functions of the first part that the second calls, by their numbers there; it imports them in this order.
    lent: Vec<u32>,
    /// Where those that stay find a function that comes later.
    doors: BTreeMap<u32, u32>,
    /// The type of each function that is found so.
    kinds: HashMap<u32, u32>,
    /// Every place in the table that is filled later, and by whom.
    filled: BTreeMap<u32, u32>,
    /// How many places the table has.
    slots: u64,
    /// What traps where nothing has come yet: its number in the first part, and its type.
    empty: (u32, u32),
    tables: Vec<wasmparser::TableType>,
    memory: MemoryType,
    globals: Vec<GlobalType>,
}

impl Plan {
    pub(super) fn of(program: &Program<'_>, later: BTreeSet<u32>) -> Result<Self, String> {
        let lacks = |what: &str| format!("a program without a {what} cannot be cut");
        let tables = program.tables.clone();
        let table = tables.first().ok_or_else(|| lacks("table"))?;
        let memory = program.memory.ok_or_else(|| lacks("memory"))?;
        let kind = |function: u32| usize::try_from(function).ok().and_then(|at| program.types.get(at)).copied();
        let calls = |function: u32| {
            let at = function.checked_sub(program.imported).and_then(|at| usize::try_from(at).ok());
            at.and_then(|at| program.calls.get(at)).into_iter().flatten().copied()
        };
        let lent = later.iter().flat_map(|function| calls(*function)).filter(|called| !later.contains(called));
        let lent = lent.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>();
        let (mut places, mut next) =
            ((0..program.imported).map(|one| (one, one)).collect::<HashMap<_, _>>(), program.imported);
        let (mut doors, mut slots) = (BTreeMap::new(), table.initial);
        for (function, called) in (program.imported..).zip(&program.calls) {
            if later.contains(&function) {
                continue;
            }
            places.insert(function, next);
            next += 1;
            for gate in called.intersection(&later) {
                doors.entry(*gate).or_insert_with(|| {
                    let known = program.slots.get(gate).and_then(|slots| slots.first()).copied();
                    known.unwrap_or_else(|| {
                        slots += 1;
                        u32::try_from(slots - 1).unwrap_or(u32::MAX)
                    })
                });
            }
        }
        let borrowed = u32::try_from(lent.len()).map_err(|_| "too many functions")?;
        places.extend((borrowed..).zip(&later).map(|(place, function)| (*function, place)));
        let known = later
            .iter()
            .flat_map(|function| program.slots.get(function).into_iter().flatten().map(|slot| (*slot, *function)));
        let mut filled = known.collect::<BTreeMap<_, _>>();
        filled.extend(doors.iter().map(|(function, slot)| (*slot, *function)));
        let empty = later.iter().next().and_then(|function| kind(*function)).ok_or("a function has no type")?;
        let kinds = later.iter().chain(&lent).filter_map(|function| Some((*function, kind(*function)?))).collect();
        let (later, globals) = (later.into_iter().collect(), program.globals.clone());
        Ok(Self { later, places, lent, doors, kinds, filled, slots, empty: (next, empty), tables, memory, globals })
    }

    /// What the first part exports for the second, which imports it in this order: by kind, its number in the first part, and its type.
    fn exports(&self) -> Vec<(ExportKind, u32, Lent)> {
        let tables =
            self.tables.iter().enumerate().map(|(nth, table)| (ExportKind::Table, number(nth), Lent::Table(*table)));
        let globals =
            self.globals.iter().enumerate().map(|(nth, kind)| (ExportKind::Global, number(nth), Lent::Global(*kind)));
        let kind = |function: &u32| self.kinds.get(function).copied().unwrap_or_default();
        let lent = self.lent.iter().map(|one| (ExportKind::Func, self.place(*one), Lent::Function(kind(one))));
        let memory = (ExportKind::Memory, 0, Lent::Memory(self.memory));
        std::iter::once(memory).chain(tables).chain(globals).chain(lent).collect()
    }

    fn comes_later(&self, function: u32) -> bool {
        self.later.binary_search(&function).is_ok()
    }

    fn place(&self, function: u32) -> u32 {
        self.places.get(&function).copied().unwrap_or(function)
    }

    /// The type of a table. That of the functions gets a place for each gate that had none.
    fn widened(&self, own: wasmparser::TableType, mut table: TableType) -> TableType {
        if self.tables.first() == Some(&own) {
            table.minimum = table.minimum.max(self.slots);
            table.maximum = table.maximum.map(|most| most.max(self.slots));
        }
        table
    }

    /// What is started, as a module.
    pub(super) fn first_module(&self, program: &Program<'_>, wasm: &[u8]) -> Result<Vec<u8>, Error> {
        let mut first = Module::new();
        let mut staying = Staying { plan: self, imported: program.imported, next: program.imported };
        staying.parse_core_module(&mut first, Parser::new(0), wasm)?;
        Ok(first.finish())
    }

    /// What comes later, as a module.
    pub(super) fn later_module(&self, program: &Program<'_>, wasm: &[u8]) -> Result<Vec<u8>, Error> {
        let mut coming = Coming { plan: self };
        let mut types = TypeSection::new();
        for payload in Parser::new(0).parse_all(wasm) {
            if let Payload::TypeSection(section) = payload? {
                coming.parse_type_section(&mut types, section)?;
            }
        }
        let mut imports = ImportSection::new();
        for (name, (.., lent)) in self.exports().into_iter().enumerate() {
            let kind = match lent {
                Lent::Memory(memory) => EntityType::Memory(coming.memory_type(memory)?),
                Lent::Table(table) => EntityType::Table(self.widened(table, coming.table_type(table)?)),
                Lent::Global(global) => EntityType::Global(coming.global_type(global)?),
                Lent::Function(kind) => EntityType::Function(kind),
            };
            imports.import(FIRST, &name.to_string(), kind);
        }
        let (mut functions, mut code) = (FunctionSection::new(), CodeSection::new());
        for function in &self.later {
            functions.function(self.kinds.get(function).copied().unwrap_or_default());
            let at = function.checked_sub(program.imported).and_then(|at| usize::try_from(at).ok());
            if let Some(body) = at.and_then(|at| program.bodies.get(at)) {
                coming.parse_function_body(&mut code, body.clone())?;
            }
        }
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&functions).section(&self.elements()).section(&code);
        Ok(module.finish())
    }

    /// The places of the table that are filled, those side by side in one piece.
    fn elements(&self) -> ElementSection {
        let mut pieces = Vec::<(u32, Vec<u32>)>::new();
        for (slot, function) in &self.filled {
            let place = self.place(*function);
            match pieces.last_mut() {
                Some((start, functions)) if u32::try_from(functions.len()).is_ok_and(|many| *start + many == *slot) => {
                    functions.push(place);
                }
                _ => pieces.push((*slot, vec![place])),
            }
        }
        let mut elements = ElementSection::new();
        for (start, functions) in pieces {
            let start = ConstExpr::i32_const(i32::try_from(start).unwrap_or(i32::MAX));
            elements.active(None, &start, Elements::Functions(functions.into()));
        }
        elements
    }
}

/// Writes the first part.
struct Staying<'plan> {
    plan: &'plan Plan,
    imported: u32,
    /// The number of the function that is written next, in the program.
    next: u32,
}

impl Reencode for Staying<'_> {
    type Error = Infallible;

    /// Whatever comes later traps until then, wherever it is spoken of.
    fn function_index(&mut self, function: u32) -> Result<u32, Error> {
        let (empty, _) = self.plan.empty;
        Ok(if self.plan.comes_later(function) { empty } else { self.plan.place(function) })
    }

    fn table_type(&mut self, table: wasmparser::TableType) -> Result<TableType, Error> {
        let written = utils::table_type(self, table)?;
        Ok(self.plan.widened(table, written))
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: FunctionSectionReader<'_>,
    ) -> Result<(), Error> {
        for (function, kind) in (self.imported..).zip(section) {
            let kind = kind?;
            if !self.plan.comes_later(function) {
                functions.function(kind);
            }
        }
        functions.function(self.plan.empty.1);
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: wasmparser::ExportSectionReader<'_>,
    ) -> Result<(), Error> {
        utils::parse_export_section(self, exports, section)?;
        for (name, (kind, number, _)) in self.plan.exports().into_iter().enumerate() {
            exports.export(&name.to_string(), kind, number);
        }
        Ok(())
    }

    fn parse_code_section(&mut self, code: &mut CodeSection, section: CodeSectionReader<'_>) -> Result<(), Error> {
        for body in section {
            let body = body?;
            if !self.plan.comes_later(self.next) {
                self.parse_function_body(code, body)?;
            }
            self.next += 1;
        }
        let mut empty = Function::new([]);
        empty.instructions().unreachable().end();
        code.function(&empty);
        Ok(())
    }

    fn parse_function_body(&mut self, code: &mut CodeSection, body: FunctionBody<'_>) -> Result<(), Error> {
        let mut function = self.new_function_with_parsed_locals(&body)?;
        for operator in body.get_operators_reader()? {
            let operator = operator?;
            let door = match &operator {
                Operator::Call { function_index } => {
                    self.plan.doors.get(function_index).map(|slot| (*slot, *function_index))
                }
                _ => None,
            };
            let Some((slot, called)) = door else {
                function.instruction(&self.instruction(operator)?);
                continue;
            };
            function.instruction(&Instruction::I32Const(i32::try_from(slot).unwrap_or(i32::MAX)));
            let type_index = self.plan.kinds.get(&called).copied().unwrap_or_default();
            function.instruction(&Instruction::CallIndirect { type_index, table_index: 0 });
        }
        code.function(&function);
        Ok(())
    }

    fn parse_custom_section(&mut self, _: &mut Module, _: CustomSectionReader<'_>) -> Result<(), Error> {
        Ok(())
    }
}

/// Writes the functions that come later.
struct Coming<'plan> {
    plan: &'plan Plan,
}

impl Reencode for Coming<'_> {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, Error> {
        let lent = self.plan.lent.binary_search(&function).ok().and_then(|place| u32::try_from(place).ok());
        Ok(lent.unwrap_or_else(|| self.plan.place(function)))
    }
}

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
    /// The parts of each function that comes later.
    parts: BTreeMap<u32, BTreeSet<usize>>,
    /// The place of each function in each of its parts, none for the first; in one that comes later, behind what that imports.
    places: HashMap<(Option<usize>, u32), u32>,
    /// Functions of the first part that others call, by their numbers there: it exports them in this order.
    lent: Vec<u32>,
    /// Where other parts find a function that comes later.
    doors: BTreeMap<u32, u32>,
    /// The type of each function that is found so, or lent.
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
    pub(super) fn of(program: &Program<'_>, parts: BTreeMap<u32, BTreeSet<usize>>) -> Result<Self, String> {
        let lacks = |what: &str| format!("a program without a {what} cannot be cut");
        let tables = program.tables.clone();
        let table = tables.first().ok_or_else(|| lacks("table"))?;
        let memory = program.memory.ok_or_else(|| lacks("memory"))?;
        let (mut places, mut next) = (HashMap::new(), 0);
        let (mut doors, mut slots) = (BTreeMap::new(), table.initial);
        for function in 0..number(program.types.len()) {
            let own = parts.get(&function);
            if own.is_none() {
                places.insert((None, function), next);
                next += 1;
            }
            let is_elsewhere = |having: &BTreeSet<usize>| own.is_none_or(|own| !own.is_subset(having));
            for called in program.called(function).filter(|called| parts.get(called).is_some_and(is_elsewhere)) {
                doors.entry(*called).or_insert_with(|| {
                    let known = program.slots.get(called).and_then(|slots| slots.first()).copied();
                    known.unwrap_or_else(|| {
                        slots += 1;
                        u32::try_from(slots - 1).unwrap_or(u32::MAX)
                    })
                });
            }
        }
        let known = parts
            .keys()
            .flat_map(|function| program.slots.get(function).into_iter().flatten().map(|slot| (*slot, *function)));
        let mut filled = known.collect::<BTreeMap<_, _>>();
        filled.extend(doors.iter().map(|(function, slot)| (*slot, *function)));
        let kind = |function: &u32| program.kind(*function);
        let empty = parts.keys().next().and_then(kind).ok_or("a function has no type")?;
        let mut plan = Self {
            places,
            lent: Vec::new(),
            doors,
            kinds: HashMap::new(),
            filled,
            slots,
            empty: (next, empty),
            tables,
            memory,
            globals: program.globals.clone(),
            parts,
        };
        let mut lent = BTreeSet::new();
        for part in plan.parts.values().flatten().copied().collect::<BTreeSet<_>>() {
            let borrowed = plan.borrowed(part, program);
            let own = (number(borrowed.len())..)
                .zip(plan.members(part))
                .map(|(place, function)| ((Some(part), function), place));
            let own = own.collect::<Vec<_>>();
            plan.places.extend(own);
            lent.extend(borrowed);
        }
        plan.lent = lent.into_iter().collect();
        plan.kinds = plan.parts.keys().chain(&plan.lent).filter_map(|one| Some((*one, kind(one)?))).collect();
        Ok(plan)
    }

    /// The functions of a part that comes later.
    fn members(&self, part: usize) -> impl Iterator<Item = u32> {
        self.parts.iter().filter(move |(_, own)| own.contains(&part)).map(|(function, _)| *function)
    }

    /// Functions of the first part that a part calls.
    fn borrowed(&self, part: usize, program: &Program<'_>) -> BTreeSet<u32> {
        let called = self.members(part).flat_map(|function| program.called(function).copied());
        called.filter(|called| !self.comes_later(*called)).collect()
    }

    /// What the first part exports for the others, in this order: by kind, its number in the first part, and its type.
    fn exports(&self) -> Vec<(ExportKind, u32, Lent)> {
        let tables =
            self.tables.iter().enumerate().map(|(nth, table)| (ExportKind::Table, number(nth), Lent::Table(*table)));
        let globals =
            self.globals.iter().enumerate().map(|(nth, kind)| (ExportKind::Global, number(nth), Lent::Global(*kind)));
        let kind = |function: &u32| self.kinds.get(function).copied().unwrap_or_default();
        let lent = self.lent.iter().map(|one| (ExportKind::Func, self.place(None, *one), Lent::Function(kind(one))));
        let memory = (ExportKind::Memory, 0, Lent::Memory(self.memory));
        std::iter::once(memory).chain(tables).chain(globals).chain(lent).collect()
    }

    /// Whether a function is in this part.
    fn has(&self, part: usize, function: u32) -> bool {
        self.parts.get(&function).is_some_and(|own| own.contains(&part))
    }

    fn comes_later(&self, function: u32) -> bool {
        self.parts.contains_key(&function)
    }

    fn place(&self, part: Option<usize>, function: u32) -> u32 {
        self.places.get(&(part, function)).copied().unwrap_or(function)
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

    /// A part that comes later, as a module.
    pub(super) fn later_module(&self, part: usize, program: &Program<'_>, wasm: &[u8]) -> Result<Vec<u8>, Error> {
        let borrowed = self.borrowed(part, program).into_iter().collect::<Vec<_>>();
        let places = borrowed.iter().map(|function| self.place(None, *function)).collect::<BTreeSet<_>>();
        let mut coming = Coming { plan: self, part, borrowed, types: Vec::new() };
        let mut imports = ImportSection::new();
        for (name, (_, place, lent)) in self.exports().into_iter().enumerate() {
            let kind = match lent {
                Lent::Memory(memory) => EntityType::Memory(coming.memory_type(memory)?),
                Lent::Table(table) => EntityType::Table(self.widened(table, coming.table_type(table)?)),
                Lent::Global(global) => EntityType::Global(coming.global_type(global)?),
                Lent::Function(_) if !places.contains(&place) => continue,
                Lent::Function(kind) => EntityType::Function(coming.type_index(kind)?),
            };
            imports.import(FIRST, &name.to_string(), kind);
        }
        let (mut functions, mut code) = (FunctionSection::new(), CodeSection::new());
        for function in self.members(part) {
            functions.function(coming.type_index(self.kinds.get(&function).copied().unwrap_or_default())?);
            if let Some(body) = program.body(function) {
                self.write(&mut coming, Some(part), &mut code, body)?;
            }
        }
        let mut module = Module::new();
        module
            .section(&coming.used(wasm)?)
            .section(&imports)
            .section(&functions)
            .section(&self.elements(part))
            .section(&code);
        Ok(module.finish())
    }

    /// Writes a function of a part, none for the first: it calls those of others that come later by way of the table.
    fn write(
        &self,
        writer: &mut impl Reencode<Error = Infallible>,
        part: Option<usize>,
        code: &mut CodeSection,
        body: &FunctionBody<'_>,
    ) -> Result<(), Error> {
        let mut function = writer.new_function_with_parsed_locals(body)?;
        for operator in body.get_operators_reader()? {
            let operator = operator?;
            let door = match &operator {
                Operator::Call { function_index } => {
                    let is_here = part.is_some_and(|part| self.has(part, *function_index));
                    let door = self.doors.get(function_index).filter(|_| !is_here);
                    door.map(|slot| (*slot, *function_index))
                }
                _ => None,
            };
            let Some((slot, called)) = door else {
                function.instruction(&writer.instruction(operator)?);
                continue;
            };
            function.instruction(&Instruction::I32Const(i32::try_from(slot).unwrap_or(i32::MAX)));
            let type_index = writer.type_index(self.kinds.get(&called).copied().unwrap_or_default())?;
            function.instruction(&Instruction::CallIndirect { type_index, table_index: 0 });
        }
        code.function(&function);
        Ok(())
    }

    /// The places of the table that a part fills, those side by side in one piece.
    fn elements(&self, part: usize) -> ElementSection {
        let mut pieces = Vec::<(u32, Vec<u32>)>::new();
        // What is in several parts is found in the last.
        let is_found = |function: &u32| self.parts.get(function).and_then(|parts| parts.last()) == Some(&part);
        for (slot, function) in self.filled.iter().filter(|(_, function)| is_found(function)) {
            let place = self.place(Some(part), *function);
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
        Ok(if self.plan.comes_later(function) { empty } else { self.plan.place(None, function) })
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
        let plan = self.plan;
        plan.write(self, None, code, &body)
    }

    fn parse_custom_section(&mut self, _: &mut Module, _: CustomSectionReader<'_>) -> Result<(), Error> {
        Ok(())
    }
}

/// Writes the functions of a part that comes later.
struct Coming<'plan> {
    plan: &'plan Plan,
    part: usize,
    /// What it imports of the first part, by rising numbers.
    borrowed: Vec<u32>,
    /// The types that it has used so far, in the order of their new numbers.
    types: Vec<u32>,
}

impl Coming<'_> {
    /// The types that were used.
    fn used(&mut self, wasm: &[u8]) -> Result<TypeSection, Error> {
        let mut all = Vec::new();
        for payload in Parser::new(0).parse_all(wasm) {
            if let Payload::TypeSection(section) = payload? {
                all = section.into_iter_err_on_gc_types().collect::<Result<_, _>>()?;
            }
        }
        let mut types = TypeSection::new();
        for kind in self.types.clone() {
            if let Some(kind) = usize::try_from(kind).ok().and_then(|kind| all.get(kind)) {
                types.ty().func_type(&self.func_type(kind.clone())?);
            }
        }
        Ok(types)
    }
}

impl Reencode for Coming<'_> {
    type Error = Infallible;

    fn type_index(&mut self, kind: u32) -> Result<u32, Error> {
        let known = self.types.iter().position(|known| *known == kind);
        let place = known.unwrap_or_else(|| {
            self.types.push(kind);
            self.types.len() - 1
        });
        Ok(number(place))
    }

    fn function_index(&mut self, function: u32) -> Result<u32, Error> {
        let borrowed = self.borrowed.binary_search(&function).ok().and_then(|place| u32::try_from(place).ok());
        Ok(borrowed.unwrap_or_else(|| self.plan.place(Some(self.part), function)))
    }
}

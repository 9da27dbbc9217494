//! A program in two parts, of which the second comes later. Both work in one memory and one table: the first keeps the places of
//! the functions that come, and the second puts them there when it is started with what the first exports.
//!
//! What comes later is named by its functions; whatever only they call comes with them. The program itself has to see to it that
//! none of them is called before: a place that is still empty traps.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::convert::Infallible;

use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{
    CodeSection, ConstExpr, ElementSection, Elements, EntityType, ExportKind, ExportSection, Function, FunctionSection,
    ImportSection, Instruction, Module, TableType, TypeSection,
};
use wasmparser::{
    CodeSectionReader, CustomSectionReader, ElementItems, ElementKind, ExternalKind, FunctionBody,
    FunctionSectionReader, GlobalType, KnownCustom, MemoryType, Name, Operator, Parser, Payload, TypeRef,
};

/// What the first part is called where the second imports from it.
pub const FIRST: &str = "p";

/// Both parts of a program.
pub struct Parts {
    /// What is started.
    pub first: Vec<u8>,
    /// What comes later.
    pub later: Vec<u8>,
}

/// What a function is for the cut, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// It stays, unless only what comes later calls it.
    Stays,
    /// It comes later if it is found by way of the table alone.
    Later,
    /// It comes later, and those that stay call it by way of the table.
    Gate,
}

/// The program in two parts: functions are told apart by their names, which it still needs.
///
/// # Errors
///
/// Where it cannot be read, has something that cannot be cut, or where nothing would come later.
pub fn parted(wasm: &[u8], cut: impl Fn(&str) -> Cut) -> Result<Parts, String> {
    let unread = |error: &dyn std::fmt::Display| format!("the program cannot be read: {error}");
    let program = Program::read(wasm).map_err(|error| unread(&error))?;
    if let Some(why) = program.hindered {
        return Err(format!("the program {why}, and cannot be cut"));
    }
    let later = program.later(&cut);
    if later.is_empty() {
        return Err("the program has no function that comes later".to_owned());
    }
    let plan = Plan::of(&program, later)?;
    let mut first = Module::new();
    let mut staying = Staying { plan: &plan, imported: program.imported, next: program.imported };
    staying.parse_core_module(&mut first, Parser::new(0), wasm).map_err(|error| unread(&error))?;
    Ok(Parts { first: first.finish(), later: plan.later_module(&program, wasm).map_err(|error| unread(&error))? })
}

/// What the cut has to know of a program.
struct Program<'wasm> {
    /// The functions that it imports come first.
    imported: u32,
    /// The type of each function, imports included.
    types: Vec<u32>,
    bodies: Vec<FunctionBody<'wasm>>,
    /// Whom each function of its own calls or speaks of, imports included.
    calls: Vec<BTreeSet<u32>>,
    /// Functions that have to be in the first part: exports, the start, and those that are spoken of without a call.
    held: HashSet<u32>,
    /// The places of functions in the table.
    slots: HashMap<u32, Vec<u32>>,
    /// The first one holds functions, another what belongs to the page.
    tables: Vec<wasmparser::TableType>,
    memory: Option<MemoryType>,
    globals: Vec<GlobalType>,
    names: HashMap<u32, String>,
    /// What of it cannot be cut, if there is anything.
    hindered: Option<&'static str>,
}

impl<'wasm> Program<'wasm> {
    fn read(wasm: &'wasm [u8]) -> Result<Self, Error> {
        let mut program = Self {
            imported: 0,
            types: Vec::new(),
            bodies: Vec::new(),
            calls: Vec::new(),
            held: HashSet::new(),
            slots: HashMap::new(),
            tables: Vec::new(),
            memory: None,
            globals: Vec::new(),
            names: HashMap::new(),
            hindered: None,
        };
        for payload in Parser::new(0).parse_all(wasm) {
            program.take(payload?)?;
        }
        Ok(program)
    }

    fn take(&mut self, payload: Payload<'wasm>) -> Result<(), Error> {
        match payload {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    match import?.ty {
                        TypeRef::Func(kind) => self.types.push(kind),
                        TypeRef::Global(global) => self.globals.push(global),
                        _ => self.hindered = Some("imports a table or a memory"),
                    }
                }
                self.imported = u32::try_from(self.types.len()).unwrap_or(u32::MAX);
            }
            Payload::FunctionSection(section) => {
                for kind in section {
                    self.types.push(kind?);
                }
            }
            Payload::TableSection(section) => {
                for table in section {
                    self.tables.push(table?.ty);
                }
            }
            Payload::MemorySection(section) => {
                if let Some(memory) = section.into_iter().next() {
                    self.memory = Some(memory?);
                }
            }
            Payload::GlobalSection(section) => {
                for global in section {
                    let global = global?;
                    self.globals.push(global.ty);
                    for operator in global.init_expr.get_operators_reader() {
                        if let Operator::RefFunc { function_index } = operator? {
                            self.held.insert(function_index);
                        }
                    }
                }
            }
            Payload::ExportSection(section) => {
                for export in section {
                    let export = export?;
                    if export.kind == ExternalKind::Func {
                        self.held.insert(export.index);
                    }
                }
            }
            Payload::StartSection { func, .. } => _ = self.held.insert(func),
            Payload::ElementSection(section) => {
                for element in section {
                    let element = element?;
                    let ElementItems::Functions(functions) = element.items else {
                        self.hindered = Some("fills a table with expressions");
                        continue;
                    };
                    let start = match &element.kind {
                        ElementKind::Active { offset_expr, table_index: None | Some(0) } => {
                            match offset_expr.get_operators_reader().read()? {
                                Operator::I32Const { value } => u32::try_from(value).ok(),
                                _ => None,
                            }
                        }
                        _ => None,
                    };
                    for (place, function) in (0..).zip(functions) {
                        let function = function?;
                        match start {
                            Some(start) => self.slots.entry(function).or_default().push(start + place),
                            // Whoever takes it from there is not known.
                            None => _ = self.held.insert(function),
                        }
                    }
                }
            }
            Payload::CodeSectionEntry(body) => {
                let mut calls = BTreeSet::new();
                for operator in body.get_operators_reader()? {
                    match operator? {
                        Operator::Call { function_index } => _ = calls.insert(function_index),
                        Operator::ReturnCall { .. } => {
                            self.hindered = Some("has calls that take the place of their caller");
                        }
                        Operator::RefFunc { function_index } => _ = self.held.insert(function_index),
                        _ => {}
                    }
                }
                self.calls.push(calls);
                self.bodies.push(body);
            }
            Payload::CustomSection(section) => {
                let KnownCustom::Name(names) = section.as_known() else { return Ok(()) };
                for part in names {
                    let Name::Function(functions) = part? else { continue };
                    for naming in functions {
                        let naming = naming?;
                        self.names.insert(naming.index, naming.name.to_owned());
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The functions that come later: those that are named so and are called by nobody who stays, and whatever only they call.
    fn later(&self, cut: &impl Fn(&str) -> Cut) -> BTreeSet<u32> {
        let own = || (self.imported..).zip(&self.calls);
        let mut callers = HashMap::<u32, Vec<u32>>::new();
        for (caller, calls) in own() {
            for called in calls {
                callers.entry(*called).or_default().push(caller);
            }
        }
        let kind = |function: &u32| self.names.get(function).map_or(Cut::Stays, |name| cut(name));
        let free = |function: &u32| !self.held.contains(function);
        let gates =
            own().map(|(function, _)| function).filter(|function| free(function) && kind(function) == Cut::Gate);
        let gates = gates.collect::<HashSet<_>>();
        let named = own().map(|(function, _)| function);
        let mut later: BTreeSet<u32> =
            named.filter(|function| free(function) && kind(function) != Cut::Stays).collect();
        // Whatever only they call comes with them: it may call others in turn.
        loop {
            let before = later.len();
            for (function, _) in own() {
                let called = callers.get(&function).is_some_and(|all| all.iter().all(|caller| later.contains(caller)));
                if called && free(&function) && !self.slots.contains_key(&function) {
                    later.insert(function);
                }
            }
            if later.len() == before {
                break;
            }
        }
        // Whoever is called by somebody who stays, stays, and then those that it calls.
        loop {
            let stays = |function: &&u32| {
                let called = callers.get(function).is_some_and(|all| all.iter().any(|caller| !later.contains(caller)));
                called && !gates.contains(*function)
            };
            let staying = later.iter().filter(stays).copied().collect::<Vec<_>>();
            if staying.is_empty() {
                return later;
            }
            for function in staying {
                later.remove(&function);
            }
        }
    }
}

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
struct Plan {
    /// The functions that come later, in their order.
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
    fn of(program: &Program<'_>, later: BTreeSet<u32>) -> Result<Self, String> {
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

    fn place(&self, function: u32) -> u32 {
        self.places.get(&function).copied().unwrap_or(function)
    }

    /// A table, with places for the doors if it is that of the functions.
    fn widened(&self, own: wasmparser::TableType, mut table: TableType) -> TableType {
        if self.tables.first() == Some(&own) {
            table.minimum = table.minimum.max(self.slots);
            table.maximum = table.maximum.map(|most| most.max(self.slots));
        }
        table
    }

    /// What comes later, as a module.
    fn later_module(&self, program: &Program<'_>, wasm: &[u8]) -> Result<Vec<u8>, Error> {
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
        Ok(if self.plan.kinds.contains_key(&function) && !self.plan.lent.contains(&function) {
            empty
        } else {
            self.plan.place(function)
        })
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
            if !self.plan.later.contains(&function) {
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
            if !self.plan.later.contains(&self.next) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_encoder::{GlobalSection, MemorySection, NameMap, NameSection, RefType, TableSection, ValType};
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
            "gate" => Cut::Gate,
            _ if name.starts_with("later") => Cut::Later,
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
        let Parts { first, later } = parted(&program(), cut).unwrap();
        // Start, the shared one, that of the table, and what traps.
        let (own, calls, slots) = read(&first);
        assert_eq!(own, 4);
        // The gate is called by way of a new place at the end of the table.
        assert_eq!(calls, [[0, 2].into(), [0].into(), [2].into(), BTreeSet::new()]);
        assert_eq!(slots, [(1, 3), (2, 4), (3, 4), (4, 0)].into());
        // It imports the glue's function and the shared one, which are its functions 0 and 1.
        let (own, calls, slots) = read(&later);
        assert_eq!(own, 6);
        assert_eq!(
            calls,
            [[1, 3].into(), [0, 4].into(), BTreeSet::new(), [1, 3].into(), [7].into(), BTreeSet::new()]
                as [BTreeSet<u32>; 6]
        );
        assert_eq!(slots, [(2, 5), (3, 6), (6, 2)].into());
    }

    #[test]
    fn whoever_is_called_by_what_stays_stays_unless_it_is_a_gate() {
        let named = |name: &str| if name == "shared" { Cut::Later } else { cut(name) };
        let Parts { first, .. } = parted(&program(), named).unwrap();
        assert_eq!(read(&first).0, 4, "as if it had not been named");
        let exported = |name: &str| if name == "start" { Cut::Gate } else { cut(name) };
        assert_eq!(read(&parted(&program(), exported).unwrap().first).0, 4, "and so is what the page calls");
    }

    #[test]
    fn a_program_in_which_nothing_comes_later_is_refused() {
        let refusal = parted(&program(), |_| Cut::Stays).err().unwrap();
        assert!(refusal.contains("no function that comes later"), "{refusal}");
        assert!(parted(b"no program", cut).err().unwrap().contains("cannot be read"));
    }
}

//! What the cut has to know of a program.

use std::collections::{BTreeSet, HashMap, HashSet};

use wasm_encoder::reencode::Error;
use wasmparser::{
    ElementItems, ElementKind, ExternalKind, FunctionBody, GlobalType, KnownCustom, MemoryType, Name, Operator, Parser,
    Payload, TypeRef,
};

/// What the cut has to know of a program.
pub(super) struct Program<'wasm> {
    /// The functions that it imports come first.
    pub(super) imported: u32,
    /// The type of each function, imports included.
    pub(super) types: Vec<u32>,
    pub(super) bodies: Vec<FunctionBody<'wasm>>,
    /// Whom each function of its own calls or speaks of, imports included.
    pub(super) calls: Vec<BTreeSet<u32>>,
    /// Functions that have to be in the first part: exports, the start, and those that are spoken of without a call.
    pub(super) held: HashSet<u32>,
    /// The places of functions in the table.
    pub(super) slots: HashMap<u32, Vec<u32>>,
    /// The first one holds functions, another what belongs to the page.
    pub(super) tables: Vec<wasmparser::TableType>,
    pub(super) memory: Option<MemoryType>,
    pub(super) globals: Vec<GlobalType>,
    pub(super) names: HashMap<u32, String>,
    /// What of it cannot be cut, if there is anything.
    pub(super) hindered: Option<&'static str>,
}

impl<'wasm> Program<'wasm> {
    pub(super) fn read(wasm: &'wasm [u8]) -> Result<Self, Error> {
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
    /// Whom a function calls or speaks of.
    pub(super) fn called(&self, function: u32) -> impl Iterator<Item = &u32> {
        self.own(function).and_then(|at| self.calls.get(at)).into_iter().flatten()
    }

    /// Its own function with this number.
    pub(super) fn body(&self, function: u32) -> Option<&FunctionBody<'wasm>> {
        self.own(function).and_then(|at| self.bodies.get(at))
    }

    /// The type of a function.
    pub(super) fn kind(&self, function: u32) -> Option<u32> {
        usize::try_from(function).ok().and_then(|at| self.types.get(at)).copied()
    }

    /// The place of a function among its own.
    fn own(&self, function: u32) -> Option<usize> {
        function.checked_sub(self.imported).and_then(|at| usize::try_from(at).ok())
    }
}

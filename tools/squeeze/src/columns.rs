//! Tables in a program's data by columns. A table lies in memory row by row, and gzip then packs every row as what differs from the
//! one before, field by field. In a file it stands column by column, where equal bytes follow each other, and the program puts it
//! back into rows before it does anything else.

use std::cmp::Reverse;
use std::convert::Infallible;
use std::ops::Range;

use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{
    BlockType, CodeSection, DataSection, Function, FunctionSection, MemArg, MemArgTarget, Module, SectionId,
    StartSection, TypeSection, ValType,
};
use wasmparser::{
    CodeSectionReader, ConstExpr, Data, DataKind, FunctionSectionReader, Operator, Parser, Payload, TypeRef,
    TypeSectionReader,
};

/// Bytes of the pieces in which tables are looked for.
const PIECE: usize = 512;
/// The longest row that is looked for; every row has a multiple of four bytes.
const LONGEST: usize = 512;
/// The fewest rows of a table.
const ROWS: usize = 8;
/// What a table has to save: the call that puts it back into rows takes half of it.
const PAYS: usize = 40;

/// A table in the data of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Table {
    /// Where it begins in the data.
    at: usize,
    /// Bytes of a row.
    row: usize,
    rows: usize,
}

impl Table {
    fn range(self) -> Range<usize> {
        self.at..self.at + self.row * self.rows
    }

    fn overlaps(self, other: Self) -> bool {
        self.range().start < other.range().end && other.range().start < self.range().end
    }

    /// The data with this table by columns.
    fn turned(self, data: &[u8]) -> Vec<u8> {
        let mut turned = data.to_vec();
        let rows = data.get(self.range()).unwrap_or_default();
        let columns = (0..self.row).flat_map(|column| rows.iter().skip(column).step_by(self.row));
        for (to, from) in turned.iter_mut().skip(self.at).zip(columns) {
            *to = *from;
        }
        turned
    }
}

/// The same program with the tables of its data by columns, where that is smaller.
pub fn by_columns(wasm: &[u8], size: impl Fn(&[u8]) -> usize) -> Result<Vec<u8>, String> {
    let unread = |error: &dyn std::fmt::Display| format!("the program cannot be read: {error}");
    let Some(mut turned) = Turned::read(wasm).map_err(|error| unread(&error))? else { return Ok(wasm.to_vec()) };
    turned.find(size);
    if turned.tables.is_empty() {
        return Ok(wasm.to_vec());
    }
    let mut module = Module::new();
    turned.parse_core_module(&mut module, Parser::new(0), wasm).map_err(|error| unread(&error))?;
    Ok(module.finish())
}

/// A program that is written again with tables by columns.
struct Turned {
    types: u32,
    functions: u32,
    /// What the program itself does first, if it does anything.
    start: Option<u32>,
    /// The place of the longest piece of the data among all pieces, and its address.
    piece: usize,
    address: u32,
    data: Vec<u8>,
    tables: Vec<Table>,
    /// Pieces of the data that are written.
    pieces: usize,
    started: bool,
}

impl Turned {
    /// What is known of a program; `None` where its data does not stand behind a stack that has room for all of it. The stack is empty
    /// before a program starts: the bytes of a table are put there while they are sorted.
    fn read(wasm: &[u8]) -> Result<Option<Self>, wasmparser::BinaryReaderError> {
        let (mut types, mut functions, mut start, mut stack, mut pieces) = (0, 0, None, None, Vec::new());
        for payload in Parser::new(0).parse_all(wasm) {
            match payload? {
                Payload::TypeSection(section) => {
                    for group in section {
                        types += u32::try_from(group?.types().len()).unwrap_or(u32::MAX);
                    }
                }
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        functions += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                    }
                }
                Payload::FunctionSection(section) => functions += section.count(),
                // The first of those that change is the end of the stack.
                Payload::GlobalSection(section) => {
                    for global in section {
                        let global = global?;
                        if global.ty.mutable && stack.is_none() {
                            stack = number(&global.init_expr)?;
                        }
                    }
                }
                Payload::StartSection { func, .. } => start = Some(func),
                Payload::DataSection(section) => {
                    for piece in section {
                        pieces.push(piece?);
                    }
                }
                _ => {}
            }
        }
        let longest = pieces.iter().enumerate().max_by_key(|(_, piece)| piece.data.len());
        let (Some(stack), Some((piece, Data { kind: DataKind::Active { offset_expr, .. }, data, .. }))) =
            (stack, longest)
        else {
            return Ok(None);
        };
        let fits = usize::try_from(stack).is_ok_and(|stack| stack >= data.len());
        let (data, tables, pieces, started) = (data.to_vec(), Vec::new(), 0, start.is_some());
        let known = |address| Self { types, functions, start, piece, address, data, tables, pieces, started };
        Ok(number(offset_expr)?.filter(|address| fits && *address >= stack).map(known))
    }

    /// Takes every table that pays, the one that saves most first.
    fn find(&mut self, size: impl Fn(&[u8]) -> usize) {
        let saved = |table: &Table| {
            let rows = self.data.get(table.range()).unwrap_or_default();
            size(rows).saturating_sub(size(&Table { at: 0, ..*table }.turned(rows)))
        };
        let mut found = tables(&self.data).into_iter().map(|table| (saved(&table), table)).collect::<Vec<_>>();
        found.sort_by_key(|(saved, table)| (Reverse(*saved), table.at, table.row));
        let mut now = size(&self.data);
        for (_, table) in found.into_iter().take_while(|(saved, _)| *saved > PAYS) {
            if self.tables.iter().any(|taken| taken.overlaps(table)) {
                continue;
            }
            // Which column comes first makes a difference, and where the table really begins is not known.
            let begun = |more| Table { at: table.at + more, rows: table.rows - 1, ..table };
            let turned = (0..table.row).step_by(8).map(|more| (begun(more), begun(more).turned(&self.data)));
            let sized = turned.map(|(table, turned)| (size(&turned), table, turned));
            let Some((then, table, turned)) = sized.min_by_key(|(size, ..)| *size) else { continue };
            if then + PAYS < now {
                now = then;
                self.data = turned;
                self.tables.push(table);
            }
        }
    }
}

/// Bytes are moved one by one.
const BYTE: MemArg = MemArg { offset: 0, align: 0, target: MemArgTarget::Memory(0), ordering: None };

/// A function that puts a table back into rows, given its address, the bytes of a row and of the table.
fn sorts() -> Function {
    let [address, row, length, from, to, column] = [0, 1, 2, 3, 4, 5];
    let mut function = Function::new([(3, ValType::I32)]);
    let mut code = function.instructions();
    code.i32_const(0).local_get(address).local_get(length).memory_copy(0, 0);
    code.loop_(BlockType::Empty);
    code.local_get(address).local_get(column).i32_add().local_set(to);
    code.loop_(BlockType::Empty);
    code.local_get(to).local_get(from).i32_load8_u(BYTE).i32_store8(BYTE);
    code.local_get(from).i32_const(1).i32_add().local_set(from);
    code.local_get(to).local_get(row).i32_add().local_tee(to);
    code.local_get(address).local_get(length).i32_add().i32_lt_u().br_if(0).end();
    code.local_get(column).i32_const(1).i32_add().local_tee(column).local_get(row).i32_lt_u().br_if(0).end().end();
    function
}

impl Reencode for Turned {
    type Error = Infallible;

    fn parse_type_section(&mut self, types: &mut TypeSection, section: TypeSectionReader<'_>) -> Result<(), Error> {
        utils::parse_type_section(self, types, section)?;
        types.ty().function([ValType::I32; 3], []);
        types.ty().function([], []);
        Ok(())
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: FunctionSectionReader<'_>,
    ) -> Result<(), Error> {
        utils::parse_function_section(self, functions, section)?;
        functions.function(self.types).function(self.types + 1);
        Ok(())
    }

    fn parse_code_section(&mut self, code: &mut CodeSection, section: CodeSectionReader<'_>) -> Result<(), Error> {
        utils::parse_code_section(self, code, section)?;
        let mut first = Function::new([]);
        let mut calls = first.instructions();
        for table in &self.tables {
            let at = u32::try_from(table.at).unwrap_or_default();
            let [row, length] = [table.row, table.range().len()].map(|bytes| i32::try_from(bytes).unwrap_or_default());
            calls.i32_const((self.address + at).cast_signed()).i32_const(row).i32_const(length).call(self.functions);
        }
        if let Some(start) = self.start {
            calls.call(start);
        }
        calls.end();
        code.function(&sorts()).function(&first);
        Ok(())
    }

    fn start_section(&mut self, _: u32) -> Result<u32, Error> {
        Ok(self.functions + 1)
    }

    fn intersperse_section_hook(
        &mut self,
        module: &mut Module,
        _: Option<SectionId>,
        before: Option<SectionId>,
    ) -> Result<(), Error> {
        let behind = [SectionId::Element, SectionId::DataCount, SectionId::Code, SectionId::Data];
        if !self.started && before.is_some_and(|before| behind.contains(&before)) {
            module.section(&StartSection { function_index: self.functions + 1 });
            self.started = true;
        }
        Ok(())
    }

    fn parse_data(&mut self, section: &mut DataSection, data: Data<'_>) -> Result<(), Error> {
        let turned = (self.pieces == self.piece).then(|| self.data.clone());
        self.pieces += 1;
        match turned {
            Some(turned) => utils::parse_data(self, section, Data { data: &turned, ..data }),
            None => utils::parse_data(self, section, data),
        }
    }
}

/// What may be a table: pieces of the data in which at least half of the bytes are what they are one row later.
fn tables(data: &[u8]) -> Vec<Table> {
    let alike = |row: usize| {
        let equal = data.iter().zip(data.iter().skip(row)).map(|(one, other)| one == other).collect::<Vec<_>>();
        equal.chunks(PIECE).map(|piece| piece.iter().filter(|equal| **equal).count()).collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    for row in (8..=LONGEST).step_by(4) {
        let mut first = None;
        for (place, equal) in alike(row).into_iter().chain([0]).enumerate() {
            match (2 * equal >= PIECE, first) {
                (true, None) => first = Some(place * PIECE),
                (false, Some(at)) => {
                    let end = (place * PIECE + row).min(data.len());
                    let rows = (end - at) / row;
                    if rows >= ROWS {
                        found.push(Table { at, row, rows });
                    }
                    first = None;
                }
                _ => {}
            }
        }
    }
    found
}

/// The number that an expression is, where it is one.
fn number(expression: &ConstExpr<'_>) -> Result<Option<u32>, wasmparser::BinaryReaderError> {
    Ok(match expression.get_operators_reader().read()? {
        Operator::I32Const { value } => u32::try_from(value).ok(),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_encoder::{EntityType, GlobalSection, GlobalType, ImportSection, MemorySection, MemoryType};

    const STACK: i32 = 65_536;

    /// Rows of 40 bytes, each of which changes in its first four alone, behind something else.
    fn data() -> Vec<u8> {
        let rows = (0..200_u32).flat_map(|row| {
            let fields = (1..10).flat_map(|field: u32| (field * 0x0101_0101).to_le_bytes());
            (row / 8).to_le_bytes().into_iter().chain(fields)
        });
        (0..700_u32).map(|byte| u8::try_from(byte * byte % 251).unwrap()).chain(rows).collect()
    }

    /// A program that imports a function, has one of its own, and such data behind a stack of so many bytes.
    fn program(stack: i32, starts: bool) -> Vec<u8> {
        let (mut types, mut imports, mut functions) =
            (TypeSection::new(), ImportSection::new(), FunctionSection::new());
        types.ty().function([], []);
        imports.import("glue", "a", EntityType::Function(0));
        functions.function(0);
        let (mut memories, mut globals, mut code) = (MemorySection::new(), GlobalSection::new(), CodeSection::new());
        let (minimum, maximum) = (4, None);
        memories.memory(MemoryType { minimum, maximum, memory64: false, shared: false, page_size_log2: None });
        let kind = GlobalType { val_type: ValType::I32, mutable: true, shared: false };
        globals.global(kind, &wasm_encoder::ConstExpr::i32_const(stack));
        let mut own = Function::new([]);
        own.instructions().call(0).end();
        code.function(&own);
        let mut section = DataSection::new();
        section.active(0, &wasm_encoder::ConstExpr::i32_const(8), [1, 2]);
        section.active(0, &wasm_encoder::ConstExpr::i32_const(STACK), data());
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&functions).section(&memories).section(&globals);
        if starts {
            module.section(&StartSection { function_index: 1 });
        }
        module.section(&code).section(&section);
        module.finish()
    }

    /// How often a byte differs from the one before, which is what columns are good for.
    fn changes(bytes: &[u8]) -> usize {
        bytes.iter().zip(bytes.iter().skip(1)).filter(|(one, other)| one != other).count()
    }

    /// What the program starts with: numbers, and functions that are called; and its last piece of data.
    fn read(wasm: &[u8]) -> (Vec<i32>, Vec<u32>, Vec<u8>) {
        let (mut start, mut bodies, mut data) = (None, Vec::new(), Vec::new());
        for payload in Parser::new(0).parse_all(wasm) {
            match payload.unwrap() {
                Payload::StartSection { func, .. } => start = Some(func),
                Payload::CodeSectionEntry(body) => bodies.push(body),
                Payload::DataSection(section) => data = section.into_iter().last().unwrap().unwrap().data.to_vec(),
                _ => {}
            }
        }
        let body = bodies.get(usize::try_from(start.unwrap()).unwrap() - 1).unwrap();
        let (mut numbers, mut called) = (Vec::new(), Vec::new());
        for operator in body.get_operators_reader().unwrap() {
            match operator.unwrap() {
                Operator::I32Const { value } => numbers.push(value),
                Operator::Call { function_index } => called.push(function_index),
                _ => {}
            }
        }
        (numbers, called, data)
    }

    #[test]
    fn a_table_is_written_by_columns_and_put_back_before_all_else() {
        for starts in [false, true] {
            let (numbers, called, turned) = read(&by_columns(&program(STACK, starts), changes).unwrap());
            assert!(changes(&turned) * 3 < changes(&data()), "{} of {}", changes(&turned), changes(&data()));
            let [address, row, length] = [0, 1, 2].map(|place: usize| usize::try_from(numbers[place]).unwrap());
            assert_eq!((numbers.len(), row), (3, 40));
            // Imports, the program's own function, the one that sorts.
            assert_eq!(called, if starts { vec![2, 1] } else { vec![2] });
            let (at, rows) = (address - usize::try_from(STACK).unwrap(), length / row);
            let mut sorted = turned.clone();
            for (place, byte) in turned[at..at + length].iter().enumerate() {
                sorted[at + place % rows * row + place / rows] = *byte;
            }
            assert!(sorted == data());
        }
    }

    #[test]
    fn without_a_table_or_room_to_sort_one_a_program_stays_as_it_is() {
        for (program, size) in [
            (program(STACK, false), (<[u8]>::len) as fn(&[u8]) -> usize),
            (program(STACK + 4, false), changes),
            (program(1_024, false), changes),
            (Module::new().finish(), changes),
        ] {
            assert!(by_columns(&program, size).unwrap() == program);
        }
        assert!(by_columns(b"no program", changes).unwrap_err().contains("cannot be read"));
    }
}

//! The functions of a program in an order that compresses well. Gzip finds what was there before only 32 kB back, and a program
//! is many times as long: functions that have code in common are put near each other.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;

use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{CodeSection, FunctionSection, Module};
use wasmparser::{
    CodeSectionReader, CustomSectionReader, FunctionBody, FunctionSectionReader, Parser, Payload, TypeRef,
};

/// How far back gzip looks, with some room for what it says of matches itself.
const WINDOW: usize = 32_000;
/// The bytes of a piece that two functions can have in common: an instruction or two with what they are given.
const PIECE: usize = 6;
/// What the length of a function counts for: by share alone short functions always come first, by number long ones.
const LENGTHS: [f64; 5] = [0.6, 0.65, 0.7, 0.75, 0.8];
/// Added to the number of pieces, so that a function of a few bytes does not count as the nearest to everything.
const SHORTS: [f64; 8] = [0.5, 1.0, 2.0, 3.0, 4.0, 8.0, 16.0, 32.0];

/// The same program with its functions in another order, and without custom sections, which no browser reads. Which weights give the
/// best order changes with every program, by a few hundred bytes: all are tried, and the program of the smallest size is taken.
pub fn ordered(wasm: &[u8], size: impl Fn(&[u8]) -> usize) -> Result<Vec<u8>, String> {
    let unread = |error: &dyn std::fmt::Display| format!("the program cannot be read: {error}");
    let (mut imported, mut bodies) = (0_u32, Vec::new());
    for payload in Parser::new(0).parse_all(wasm) {
        match payload.map_err(|error| unread(&error))? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    imported += u32::from(matches!(import.map_err(|error| unread(&error))?.ty, TypeRef::Func(_)));
                }
            }
            Payload::CodeSectionEntry(body) => bodies.push(body.as_bytes().to_vec()),
            _ => {}
        }
    }
    let pieces = Pieces::of(&bodies);
    let orders = LENGTHS.into_iter().flat_map(|length| SHORTS.map(|short| order(&pieces, length, short)));
    let programs = orders.map(|order| written(wasm, imported, order).map_err(|error| unread(&error)));
    let smallest = programs.collect::<Result<Vec<_>, _>>()?.into_iter().min_by_key(|program| size(program));
    smallest.ok_or_else(|| "there is no order to write it in".to_owned())
}

/// The program with its functions in this order.
fn written(wasm: &[u8], imported: u32, order: Vec<usize>) -> Result<Vec<u8>, Error> {
    let mut places = vec![0; order.len()];
    for (place, function) in (imported..).zip(&order) {
        if let Some(to) = places.get_mut(*function) {
            *to = place;
        }
    }
    let mut module = Module::new();
    let mut reordered = Reordered { imported, order, places };
    reordered.parse_core_module(&mut module, Parser::new(0), wasm)?;
    Ok(module.finish())
}

/// Writes a program again with its functions in this order.
struct Reordered {
    imported: u32,
    order: Vec<usize>,
    /// The new number of each function, in the old order.
    places: Vec<u32>,
}

impl Reencode for Reordered {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, Error> {
        let own = function.checked_sub(self.imported).and_then(|own| usize::try_from(own).ok());
        Ok(own.and_then(|own| self.places.get(own)).copied().unwrap_or(function))
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: FunctionSectionReader<'_>,
    ) -> Result<(), Error> {
        let types = section.into_iter().collect::<Result<Vec<_>, _>>()?;
        for kind in self.order.iter().filter_map(|function| types.get(*function)) {
            functions.function(*kind);
        }
        Ok(())
    }

    fn parse_code_section(&mut self, code: &mut CodeSection, section: CodeSectionReader<'_>) -> Result<(), Error> {
        let bodies = section.into_iter().collect::<Result<Vec<FunctionBody<'_>>, _>>()?;
        let order = self.order.clone();
        order
            .iter()
            .filter_map(|function| bodies.get(*function))
            .try_for_each(|body| self.parse_function_body(code, body.clone()))
    }

    fn parse_custom_section(&mut self, _: &mut Module, _: CustomSectionReader<'_>) -> Result<(), Error> {
        Ok(())
    }
}

/// Every function once, from the first: the next one is always that of which most is in the window.
fn order(pieces: &Pieces, length: f64, short: f64) -> Vec<usize> {
    let mut window = Window::new(pieces);
    let lengths = pieces.lengths.iter().map(|own| libm::pow(*own as f64 + short, length)).collect::<Vec<_>>();
    let mut waiting = (0..pieces.functions.len()).collect::<Vec<_>>();
    let mut order = Vec::new();
    while !waiting.is_empty() {
        let near = |function: &usize| {
            let (shared, length) = (window.shared.get(*function)?, lengths.get(*function)?);
            Some(f64::from(*shared) / length)
        };
        let nearest =
            waiting.iter().enumerate().map(|(place, function)| (near(function).unwrap_or_default(), Reverse(place)));
        let Some((_, Reverse(place))) =
            nearest.max_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)))
        else {
            break;
        };
        let function = waiting.remove(place);
        order.push(function);
        pieces.functions.get(function).into_iter().flatten().for_each(|piece| window.push(*piece));
    }
    order
}

/// The byte sequences that functions are made of. Each piece is a number, and equal pieces have the same number.
struct Pieces {
    /// The pieces of each function, one at each byte.
    functions: Vec<Vec<usize>>,
    /// How many different ones each function has.
    lengths: Vec<usize>,
    /// The functions that have each piece.
    owners: Vec<Vec<usize>>,
}

impl Pieces {
    fn of(bodies: &[Vec<u8>]) -> Self {
        let mut numbers = HashMap::new();
        let mut number = |piece| {
            let next = numbers.len();
            *numbers.entry(piece).or_insert(next)
        };
        let functions =
            bodies.iter().map(|body| body.windows(PIECE).map(&mut number).collect::<Vec<_>>()).collect::<Vec<_>>();
        let (mut lengths, mut owners) = (Vec::new(), vec![Vec::new(); numbers.len()]);
        for (function, own) in functions.iter().enumerate() {
            let own = distinct(own);
            lengths.push(own.len());
            for piece in own {
                owners.get_mut(piece).into_iter().for_each(|owners| owners.push(function));
            }
        }
        Self { functions, lengths, owners }
    }
}

/// Each piece once.
fn distinct(pieces: &[usize]) -> Vec<usize> {
    let mut distinct = pieces.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}

/// The last pieces that were written.
struct Window<'pieces> {
    pieces: VecDeque<usize>,
    /// How often each piece is in it.
    times: Vec<usize>,
    /// The functions that have each piece.
    owners: &'pieces [Vec<usize>],
    /// How many pieces of each function are in it.
    shared: Vec<u32>,
}

impl<'pieces> Window<'pieces> {
    fn new(Pieces { functions, owners, .. }: &'pieces Pieces) -> Self {
        Self { pieces: VecDeque::new(), times: vec![0; owners.len()], owners, shared: vec![0; functions.len()] }
    }

    /// Takes a piece in, and lets go of the oldest one when there are too many.
    fn push(&mut self, piece: usize) {
        self.pieces.push_back(piece);
        if let Some(times) = self.times.get_mut(piece) {
            *times += 1;
            if *times == 1 {
                self.of_owners(piece, |shared| shared + 1);
            }
        }
        if self.pieces.len() <= WINDOW {
            return;
        }
        let Some(oldest) = self.pieces.pop_front() else { return };
        if let Some(times) = self.times.get_mut(oldest) {
            *times -= 1;
            if *times == 0 {
                self.of_owners(oldest, |shared| shared - 1);
            }
        }
    }

    /// Counts anew how much the functions with this piece share with the window.
    fn of_owners(&mut self, piece: usize, counted: impl Fn(u32) -> u32) {
        for function in self.owners.get(piece).into_iter().flatten() {
            if let Some(shared) = self.shared.get_mut(*function) {
                *shared = counted(*shared);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_encoder::{
        ConstExpr, CustomSection, ElementSection, Elements, EntityType, ExportKind, ExportSection, Function,
        ImportSection, RefType, StartSection, TableSection, TableType, TypeSection, ValType,
    };

    /// What the functions of the test push: the first and the last have most of it in common.
    const PUSHED: [&[i64]; 3] = [&[0x1234_5678_9abc; 9], &[7; 9], &[0x1234_5678_9abc; 8]];

    /// The functions in this order, each with a type of its own, and everything that can speak of functions.
    fn program(order: [usize; 3]) -> Module {
        let place = |function: usize| 1 + u32::try_from(order.iter().position(|at| *at == function).unwrap()).unwrap();
        let (mut types, mut imports, mut functions) =
            (TypeSection::new(), ImportSection::new(), FunctionSection::new());
        types.ty().function([], []);
        types.ty().function([ValType::I32], []);
        types.ty().function([ValType::I64], []);
        imports.import("glue", "a", EntityType::Function(0));
        let mut tables = TableSection::new();
        let (element_type, minimum) = (RefType::FUNCREF, 3);
        tables.table(TableType { element_type, table64: false, minimum, maximum: None, shared: false });
        let (mut exports, mut elements, mut code) = (ExportSection::new(), ElementSection::new(), CodeSection::new());
        exports.export("b", ExportKind::Func, place(1));
        elements.active(None, &ConstExpr::i32_const(0), Elements::Functions([place(2), 0, place(1)].as_slice().into()));
        for function in order {
            functions.function(u32::try_from(function).unwrap());
            let mut body = Function::new([]);
            for constant in PUSHED[function] {
                body.instructions().i64_const(*constant).drop();
            }
            body.instructions().call(0).ref_func(place(2)).drop().call(place(0)).end();
            code.function(&body);
        }
        let start = StartSection { function_index: place(0) };
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&functions).section(&tables).section(&exports);
        module.section(&start).section(&elements).section(&code);
        module
    }

    #[test]
    fn what_is_alike_stands_together_and_is_still_called() {
        let mut whole = program([0, 1, 2]);
        whole.section(&CustomSection { name: "nobody's".into(), data: (&[1]).into() });
        assert_eq!(ordered(&whole.finish(), <[u8]>::len).unwrap(), program([0, 2, 1]).finish());
    }

    #[test]
    fn the_smallest_of_all_orders_is_taken() {
        let tried = std::cell::RefCell::new(Vec::new());
        let sizes = |program: &[u8]| {
            tried.borrow_mut().push(program.to_vec());
            // The seventh is the smallest.
            tried.borrow().len().abs_diff(7)
        };
        let smallest = ordered(&program([0, 1, 2]).finish(), sizes).unwrap();
        assert_eq!(tried.borrow().len(), LENGTHS.len() * SHORTS.len());
        assert_eq!(Some(&smallest), tried.borrow().get(6));
    }

    #[test]
    fn every_function_is_there_once_however_many_there_are() {
        let bodies = (0..2_000_u32).map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes().repeat(8));
        let bodies = bodies.chain([Vec::new(), vec![1]]).collect::<Vec<_>>();
        let order = order(&Pieces::of(&bodies), 0.8, 4.0);
        let sorted = distinct(&order);
        assert!(order.len() == bodies.len() && sorted == (0..bodies.len()).collect::<Vec<_>>());
    }

    #[test]
    fn an_empty_program_stays_one_and_what_is_none_is_refused() {
        assert_eq!(ordered(&Module::new().finish(), <[u8]>::len).unwrap(), Module::new().finish());
        assert!(ordered(b"no program", <[u8]>::len).unwrap_err().contains("cannot be read"));
    }
}

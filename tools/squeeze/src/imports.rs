//! The program's imports under short names. wasm-bindgen calls each after what it does and which version of it that is, once in
//! the program and once in the glue, and such names are nearly all that the two of them weigh there.

use std::ops::Range;

use wasm_encoder::reencode::{Reencode as _, RoundtripReencoder};
use wasm_encoder::{ImportSection, Module, RawSection};
use wasmparser::{Import, Parser, Payload};

/// Program and glue, which speak of the same imports in fewer letters.
pub fn shortened(wasm: &[u8], glue: &str) -> Result<(Vec<u8>, String), String> {
    let unread = |error: &dyn std::fmt::Display| format!("the program's imports cannot be read: {error}");
    let (mut module, mut glue) = (Module::new(), glue.to_owned());
    for payload in Parser::new(0).parse_all(wasm) {
        let payload = payload.map_err(|error| unread(&error))?;
        if let Payload::ImportSection(imports) = &payload {
            let mut section = ImportSection::new();
            for (place, import) in imports.clone().into_imports().enumerate() {
                let Import { module, name, ty } = import.map_err(|error| unread(&error))?;
                let kind = RoundtripReencoder.entity_type(ty).map_err(|error| unread(&error))?;
                let short = letters(place);
                section.import(module, &short, kind);
                let (long, short) = (format!("\n{name}: "), format!("\n{short}: "));
                if glue.matches(&long).count() != 1 {
                    return Err(format!("the glue has {name} not exactly once at the start of a line"));
                }
                glue = glue.replace(&long, &short);
            }
            module.section(&section);
        } else if let Some((id, Range { start, end })) = payload.as_section() {
            let [start, end] = [start, end].map(|place| usize::try_from(place).unwrap_or(usize::MAX));
            let data = wasm.get(start..end).ok_or("the program ends too early")?;
            module.section(&RawSection { id, data });
        }
    }
    Ok((module.finish(), glue))
}

/// `a` to `z`, then `ba` and so on: a number of 26 digits.
fn letters(number: usize) -> String {
    let digit = |number: usize| char::from(b'a' + u8::try_from(number % 26).unwrap_or_default());
    let mut letters = vec![digit(number)];
    let mut rest = number / 26;
    while rest > 0 {
        letters.push(digit(rest));
        rest /= 26;
    }
    letters.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_encoder::{CustomSection, EntityType, TypeSection};

    /// A program that imports two functions and says something of its own.
    fn program(names: [&str; 2]) -> Vec<u8> {
        let (mut types, mut imports) = (TypeSection::new(), ImportSection::new());
        types.ty().function([], []);
        for name in names {
            imports.import("glue", name, EntityType::Function(0));
        }
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&CustomSection { name: "own".into(), data: (&[1, 2]).into() });
        module.finish()
    }

    #[test]
    fn only_the_names_of_imports_change() {
        let glue = "const glue = {\n__wbg_a_0123: function() {},\n__wbg_b_4567: function() { '__wbg_a_0123'; },\n};";
        let (wasm, glue) = shortened(&program(["__wbg_a_0123", "__wbg_b_4567"]), glue).unwrap();
        assert_eq!(wasm, program(["a", "b"]));
        assert_eq!(glue, "const glue = {\na: function() {},\nb: function() { '__wbg_a_0123'; },\n};");
    }

    #[test]
    fn another_glue_or_no_program_is_noticed() {
        assert!(shortened(&program(["x", "y"]), "\nx: function() {}").unwrap_err().contains("y not exactly once"));
        assert!(shortened(b"no program", "").is_err());
    }

    #[test]
    fn every_number_has_letters_of_its_own() {
        assert_eq!([0, 25, 26, 27, 675, 676].map(letters), ["a", "z", "ba", "bb", "zz", "baa"]);
    }
}

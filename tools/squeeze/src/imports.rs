//! The program's imports under short names. wasm-bindgen calls each after what it does and which version of it that is, once in
//! the program and once in the glue, and such names are nearly all that the two of them weigh there.

use std::ops::Range;

use wasm_encoder::reencode::{Reencode as _, RoundtripReencoder};
use wasm_encoder::{ImportSection, Module, RawSection};
use wasmparser::{Import, Parser, Payload};

/// Program and glue, which speak of the same imports in fewer letters.
pub fn shortened(wasm: &[u8], glue: &str) -> Result<(Vec<u8>, String), String> {
    let unread = |error: &dyn std::fmt::Display| format!("the program's imports cannot be read: {error}");
    let (mut module, mut glue, mut asked) = (Module::new(), glue.to_owned(), 0);
    for payload in Parser::new(0).parse_all(wasm) {
        let payload = payload.map_err(|error| unread(&error))?;
        if let Payload::ImportSection(imports) = &payload {
            let mut section = ImportSection::new();
            for (place, import) in imports.clone().into_imports().enumerate() {
                let Import { module, name, ty } = import.map_err(|error| unread(&error))?;
                let kind = RoundtripReencoder.entity_type(ty).map_err(|error| unread(&error))?;
                let short = letters(place);
                asked = place + 1;
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
    let glue = without_unused(glue)?;
    // A brace in a string of the glue would have removed too much.
    match (0..asked).map(letters).find(|short| glue.matches(&format!("\n{short}: ")).count() != 1) {
        Some(short) => Err(format!("the glue has lost what the program calls {short}")),
        None => Ok((module.finish(), glue)),
    }
}

/// Glue without what no import asks for: what only the words of a panic needed, which a release does not say.
fn without_unused(mut glue: String) -> Result<String, String> {
    // Every import has short letters by now.
    while let Some(start) =
        glue.match_indices("\n__wb").map(|(line, _)| line + 1).find(|start| is_import(&glue, *start))
    {
        let end = end_of(&glue, start).ok_or("the glue has a function that does not end")?;
        glue.replace_range(start..end, "");
    }
    while let Some((start, end)) = uncalled(&glue) {
        glue.replace_range(start..end, "");
    }
    Ok(glue)
}

/// Whether a line of the glue begins a function for the program.
fn is_import(glue: &str, start: usize) -> bool {
    glue.get(start..).and_then(|rest| rest.split_once('(')).is_some_and(|(name, _)| name.ends_with(": function"))
}

/// Where a function that begins at the start of a line ends: behind its last brace, what separates it, and the line.
fn end_of(glue: &str, start: usize) -> Option<usize> {
    let mut open = 0_usize;
    let mut characters = glue.get(start..)?.char_indices();
    let (closed, _) = characters.by_ref().find(|(_, character)| {
        open += usize::from(*character == '{');
        *character == '}' && {
            open = open.saturating_sub(1);
            open == 0
        }
    })?;
    characters.find(|(_, character)| *character == '\n').map(|(line, _)| start + line.max(closed) + 1)
}

/// A function of the glue that nothing outside of itself names.
fn uncalled(glue: &str) -> Option<(usize, usize)> {
    glue.match_indices("\nfunction ").find_map(|(line, word)| {
        let (start, name) = (line + 1, line + word.len());
        let (name, _) = glue.get(name..)?.split_once('(')?;
        let end = end_of(glue, start)?;
        let is_named = |text: &str| {
            text.split(|character: char| !character.is_alphanumeric() && character != '_').any(|word| word == name)
        };
        (!is_named(glue.get(..start)?) && !is_named(glue.get(end..)?)).then_some((start, end))
    })
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
    fn what_no_import_asks_for_is_gone_with_what_it_called() {
        let glue = "const glue = {\n__wbg_a_0: function() {\nused();\n},\n__wbg_gone_1: function() {\nif (1) {\nunused();\n}\n},\n\
                    __wbg_b_2: function() {},\n};\nfunction unused() {\nunused(deeper);\n}\nfunction deeper() {\n}\n\
                    function used() {\n}\nexport { glue };";
        let (_, glue) = shortened(&program(["__wbg_a_0", "__wbg_b_2"]), glue).unwrap();
        let left = "const glue = {\na: function() {\nused();\n},\nb: function() {},\n};\nfunction used() {\n}\nexport { glue };";
        assert_eq!(glue, left);
        assert!(without_unused("\n__wbg_c: function() {".into()).unwrap_err().contains("does not end"));
        let torn =
            "{\n__wbg_gone_1: function() {\n'{';\n},\n__wbg_a_0: function() {},\n__wbg_b_2: function() {},\n};\n}";
        assert!(shortened(&program(["__wbg_a_0", "__wbg_b_2"]), torn).unwrap_err().contains("lost"));
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

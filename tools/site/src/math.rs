//! A formula written on one line, read once: drawn as mathematics, drawn with numbers in place of its names, and worked out.
//!
//! `bytes = 2 × layers × min(tokens, window)`: names are words, a single letter may have an index (`P_peak`),
//! and `+ − × / ^ ( ) ⌈ ⌉ ⌊ ⌋` mean what they look like. A fraction is as tall as what stands beside its stroke.

/// What stands between the signs of equality.
#[derive(Clone, Debug, PartialEq)]
enum Math {
    Number(f64),
    Name(String),
    /// Sums and products: what stands first, and what follows each sign.
    Chain(Box<Self>, Vec<(char, Self)>),
    Over(Box<Self>, Box<Self>),
    Power(Box<Self>, Box<Self>),
    Fence([char; 2], Box<Self>),
    Call(String, Vec<Self>),
}

/// A formula: what it gives, and how.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Formula {
    gives: Math,
    of: Math,
}

/// What a name stands for in an example: the number, and how it is written.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    /// The name in the formula.
    pub(crate) name: &'static str,
    /// The number.
    pub(crate) number: f64,
    /// The number as it is written.
    pub(crate) shown: String,
}

impl Formula {
    /// Reads a formula, or says why it is none.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let (left, right) = text.split_once('=').ok_or(format!("{text}: nothing equals anything"))?;
        let side = |text: &str| {
            let mut reader = Reader { rest: text.trim() };
            let math = reader.sum()?;
            if reader.rest.is_empty() { Ok(math) } else { Err(format!("{text}: not understood from {}", reader.rest)) }
        };
        Ok(Self { gives: side(left)?, of: side(right)? })
    }

    /// The names on the right side, in order, each once.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.of.names(&mut names);
        names
    }

    /// The formula in its names, in pieces of `math`.
    pub(crate) fn markup(&self) -> String {
        line(&format!("{}{EQUALS}", self.gives.markup(&[])), &self.of, &[])
    }

    /// Its right side with numbers put in.
    pub(crate) fn with_numbers(&self, values: &[Value]) -> String {
        line(EQUALS, &self.of, values)
    }

    /// What comes out.
    pub(crate) fn work_out(&self, values: &[Value]) -> Result<f64, String> {
        self.of.work_out(values)
    }
}

const EQUALS: &str = "<mo form=\"infix\">=</mo>";

/// A line that can break before each sign: each piece is mathematics of its own.
fn line(start: &str, math: &Math, values: &[Value]) -> String {
    let mut pieces = vec![start.to_owned()];
    math.break_up(values, &mut pieces);
    pieces.iter().map(|piece| mathematics(piece)).collect::<Vec<_>>().join("<wbr />")
}

fn mathematics(inside: &str) -> String {
    format!("<math displaystyle=\"true\"><mrow>{inside}</mrow></math>")
}

/// What comes out, as the last line.
pub(crate) fn result(text: &str) -> String {
    mathematics(&format!("{EQUALS}<mn>{text}</mn>"))
}

impl Math {
    fn names<'a>(&'a self, names: &mut Vec<&'a str>) {
        match self {
            Self::Number(_) => {}
            Self::Name(name) if names.contains(&name.as_str()) => {}
            Self::Name(name) => names.push(name),
            Self::Chain(first, others) => {
                first.names(names);
                for (_, one) in others {
                    one.names(names);
                }
            }
            Self::Over(one, other) | Self::Power(one, other) => {
                one.names(names);
                other.names(names);
            }
            Self::Fence(_, inside) => inside.names(names),
            Self::Call(_, given) => {
                for one in given {
                    one.names(names);
                }
            }
        }
    }

    /// As `math` has it, with the values that are given in place of their names.
    fn markup(&self, values: &[Value]) -> String {
        let row = |math: &Self| format!("<mrow>{}</mrow>", math.unfenced().markup(values));
        match self {
            Self::Number(number) => format!("<mn>{number}</mn>"),
            Self::Name(name) => match values.iter().find(|value| value.name == name) {
                Some(value) => format!("<mn>{}</mn>", value.shown),
                None => name_markup(name),
            },
            Self::Chain(first, others) => others
                .iter()
                .fold(first.markup(values), |all, (sign, one)| format!("{all}<mo>{sign}</mo>{}", one.markup(values))),
            Self::Over(above, below) => format!("<mfrac>{}{}</mfrac>", row(above), row(below)),
            Self::Power(base, exponent) => {
                format!("<msup><mrow>{}</mrow>{}</msup>", base.markup(values), row(exponent))
            }
            Self::Fence([open, close], inside) => {
                format!(
                    "<mo stretchy=\"false\">{open}</mo>{}<mo stretchy=\"false\">{close}</mo>",
                    inside.markup(values)
                )
            }
            Self::Call(name, given) => {
                let given: Vec<String> = given.iter().map(|one| one.markup(values)).collect();
                format!(
                    "<mi>{name}</mi><mo stretchy=\"false\">(</mo>{}<mo stretchy=\"false\">)</mo>",
                    given.join("<mo>,</mo>")
                )
            }
        }
    }

    /// The same in pieces, of which each but the first begins with a sign; a fraction stays whole.
    fn break_up(&self, values: &[Value], pieces: &mut Vec<String>) {
        let add = |text: &str, pieces: &mut Vec<String>| {
            if let Some(last) = pieces.last_mut() {
                last.push_str(text);
            }
        };
        match self {
            Self::Chain(first, others) => {
                first.break_up(values, pieces);
                for (sign, one) in others {
                    pieces.push(format!("<mo form=\"infix\">{sign}</mo>"));
                    one.break_up(values, pieces);
                }
            }
            Self::Fence([open, close], inside) => {
                add(&format!("<mo form=\"prefix\" stretchy=\"false\">{open}</mo>"), pieces);
                inside.break_up(values, pieces);
                add(&format!("<mo form=\"postfix\" stretchy=\"false\">{close}</mo>"), pieces);
            }
            whole => add(&whole.markup(values), pieces),
        }
    }

    /// A fraction and an exponent need no brackets around them.
    fn unfenced(&self) -> &Self {
        if let Self::Fence(['(', _], inside) = self { inside } else { self }
    }

    fn work_out(&self, values: &[Value]) -> Result<f64, String> {
        Ok(match self {
            Self::Number(number) => *number,
            Self::Name(name) => {
                let value = values.iter().find(|value| value.name == name);
                value.ok_or(format!("{name} has no value"))?.number
            }
            Self::Chain(first, others) => {
                let mut result = first.work_out(values)?;
                for (sign, one) in others {
                    let one = one.work_out(values)?;
                    match sign {
                        '+' => result += one,
                        '×' => result *= one,
                        _ => result -= one,
                    }
                }
                result
            }
            Self::Over(above, below) => above.work_out(values)? / below.work_out(values)?,
            // Exponents are small whole numbers.
            Self::Power(base, exponent) => libm::pow(base.work_out(values)?, exponent.work_out(values)?),
            Self::Fence(['⌈', _], inside) => libm::ceil(inside.work_out(values)?),
            Self::Fence(['⌊', _], inside) => libm::floor(inside.work_out(values)?),
            Self::Fence(_, inside) => inside.work_out(values)?,
            Self::Call(name, given) => {
                let given = given.iter().map(|one| one.work_out(values)).collect::<Result<Vec<_>, _>>()?;
                let pick = if name == "min" { f64::min } else { f64::max };
                given.into_iter().reduce(pick).ok_or(format!("{name} of nothing"))?
            }
        })
    }
}

/// A letter in italics, a word upright, a letter with its index below.
///
/// The italics are the style sheet's: fonts without mathematics have no h among their slanted letters of it.
fn name_markup(name: &str) -> String {
    let letter = |letter: &str| format!("<mi mathvariant=\"normal\" class=\"letter\">{letter}</mi>");
    match name.split_once('_') {
        Some((one, below)) if one.chars().count() == 1 => {
            format!("<msub>{}<mtext>{below}</mtext></msub>", letter(one))
        }
        _ if name.chars().count() == 1 => letter(name),
        _ => format!("<mi>{name}</mi>"),
    }
}

/// Reads from the front of what is left.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn next(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn skip(&mut self, sign: char) {
        self.rest = self.rest.strip_prefix(sign).unwrap_or(self.rest).trim_start();
    }

    fn chain(
        &mut self,
        signs: [char; 2],
        mut part: impl FnMut(&mut Self) -> Result<Math, String>,
    ) -> Result<Math, String> {
        let first = part(self)?;
        let mut others = Vec::new();
        while let Some(sign) = self.next().filter(|next| signs.contains(next)) {
            self.skip(sign);
            others.push((sign, part(self)?));
        }
        Ok(if others.is_empty() { first } else { Math::Chain(first.into(), others) })
    }

    fn sum(&mut self) -> Result<Math, String> {
        self.chain(['+', '−'], |reader| reader.chain(['×', '×'], Self::fraction))
    }

    fn fraction(&mut self) -> Result<Math, String> {
        let above = self.power()?;
        if self.next() != Some('/') {
            return Ok(above);
        }
        self.skip('/');
        Ok(Math::Over(above.into(), self.power()?.into()))
    }

    fn power(&mut self) -> Result<Math, String> {
        let base = self.atom()?;
        if self.next() != Some('^') {
            return Ok(base);
        }
        self.skip('^');
        Ok(Math::Power(base.into(), self.atom()?.into()))
    }

    fn atom(&mut self) -> Result<Math, String> {
        let Some(first) = self.next() else { return Err("a formula ends too soon".into()) };
        for fence in [['(', ')'], ['⌈', '⌉'], ['⌊', '⌋']] {
            if first == fence[0] {
                return Ok(Math::Fence(fence, self.fenced(fence)?.into()));
            }
        }
        let length =
            self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(self.rest.len());
        let (word, behind) = self.rest.split_at(length);
        self.rest = behind.trim_start();
        if word.is_empty() {
            return Err(format!("a formula does not understand {first}"));
        }
        if first.is_ascii_digit() {
            return word.parse().map(Math::Number).map_err(|_| format!("{word} is no number"));
        }
        if !["min", "max"].contains(&word) {
            return Ok(Math::Name(word.into()));
        }
        let mut given = Vec::new();
        self.skip('(');
        loop {
            given.push(self.sum()?);
            match self.next() {
                Some(',') => self.skip(','),
                Some(')') => break self.skip(')'),
                _ => return Err(format!("{word} is not closed")),
            }
        }
        Ok(Math::Call(word.into(), given))
    }

    fn fenced(&mut self, [open, close]: [char; 2]) -> Result<Math, String> {
        self.skip(open);
        let inside = self.sum()?;
        if self.next() != Some(close) {
            return Err(format!("{open} is not closed before {}", self.rest));
        }
        self.skip(close);
        Ok(inside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(name: &'static str, number: f64) -> Value {
        Value { name, number, shown: number.to_string() }
    }

    #[test]
    fn formulas_are_worked_out() {
        for (text, result) in [
            ("y = 2 × 3 + 4", 10.0),
            ("y = 2 + 3 × 4 − 1", 13.0),
            ("y = 2 × (3 + 4) / 7", 2.0),
            ("y = 2 ^ 10 × a", 5_120.0),
            ("y = ⌈7 / 2⌉ + ⌊7 / 2⌋", 7.0),
            ("y = min(a, 3) × max(1, 2, b_top)", 27.0),
        ] {
            let formula = Formula::read(text).unwrap();
            assert_eq!(formula.work_out(&[value("a", 5.0), value("b_top", 9.0)]), Ok(result), "{text}");
        }
    }

    #[test]
    fn formulas_are_drawn_with_names_and_with_numbers() {
        let formula = Formula::read("P_max = (N − 1) / N × layers").unwrap();
        assert_eq!(formula.names(), ["N", "layers"]);
        let markup = formula.markup();
        let letter = |letter: &str| format!("<mi mathvariant=\"normal\" class=\"letter\">{letter}</mi>");
        let (p, n) = (letter("P"), letter("N"));
        let above = format!("<mfrac><mrow>{n}<mo>−</mo><mn>1</mn></mrow><mrow>{n}</mrow></mfrac>");
        assert!(markup.contains(&format!("<msub>{p}<mtext>max</mtext></msub><mo form=\"infix\">=</mo>")), "{markup}");
        assert!(markup.contains(&above) && markup.contains("<mo form=\"infix\">×</mo><mi>layers</mi>"), "{markup}");
        let numbers = formula.with_numbers(&[value("N", 8.0), value("layers", 32.0)]);
        assert!(numbers.contains("<mn>8</mn><mo>−</mo><mn>1</mn>"), "{numbers}");
        assert_eq!(numbers.matches("<math ").count(), 2, "a line can break before a sign");
        let deeper = Formula::read("y = 2 × (a + 3)").unwrap().markup();
        assert_eq!(deeper.matches("<math ").count(), 3, "{deeper}");
        assert!(result("28").contains("<mn>28</mn>"));
    }

    #[test]
    fn what_is_no_formula_is_refused() {
        for text in ["y", "y = ", "y = (2", "y = 2 ×", "y = 2 3", "y = min(2", "y = ?"] {
            assert!(Formula::read(text).is_err(), "{text}");
        }
        assert!(Formula::read("y = a").unwrap().work_out(&[]).is_err());
    }
}

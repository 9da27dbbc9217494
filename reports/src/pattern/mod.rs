//! What a line looks like that says something: literal text with holes, and what each hole means.

mod words;

use alloc::vec::Vec;

use crate::Place;
use crate::marks::{is_escape, is_part};
use crate::name;
use crate::report::{Device, Fact, Value};
use crate::scan::{self, Number};
use crate::size::{Base, MOST, Size, Unit};
use crate::what::{Kind, Refusal, What};

pub(crate) use words::buffer;
use words::{is_word, until, word_before};

/// A hole of a line, `{}` in its text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Hole {
    /// A size with its unit behind it, in powers of 1,024.
    Size(What),
    /// The same, in powers of 1,000 where the unit has no `i`.
    Decimal(What),
    /// A number of a unit that the text names elsewhere.
    Of(What, Unit),
    /// A size with its unit behind it, of a program that cuts digits off; in powers of 1,024.
    Floor(What),
    /// Sizes with spaces between them, one for each GPU.
    Sizes(What),
    /// Numbers of bytes with spaces between them, added up.
    Sum(What),
    /// A whole number.
    Count(What),
    /// A whole number in billions, with digits behind the point.
    Billions(What),
    /// A number with digits behind the point.
    Ratio(What),
    /// A name up to a quote, a comma, a bracket or a space.
    Name(What),
    /// The number of the GPU that the line is about.
    Device,
    /// The name of a buffer's device, such as `CUDA0` or `CPU_Mapped`; a hole at the beginning is read backwards.
    Buffer,
    /// The dimensions of a tensor, up to the text behind them.
    Shape(What),
    /// Anything up to the text behind it.
    Skip,
    /// Spaces, or none.
    Pad,
    /// A bar of strokes, or none.
    Bar,
    /// A number with a letter for thousands and more: `26.6 M`.
    Letters(What),
}

/// A line that says something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern {
    /// The kind of report that it belongs to.
    pub(crate) kind: Kind,
    /// Its text with holes.
    pub(crate) text: &'static str,
    /// What they mean, in order.
    pub(crate) holes: &'static [Hole],
    /// What the line itself says.
    pub(crate) says: Says,
}

/// What a line says beside its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    /// Nothing.
    Nothing,
    /// A program starts: what follows is a report of its own.
    Start,
    /// A program refuses to start.
    Refuses(Refusal),
    /// Something is so, by the line being there.
    On(What),
    /// It belongs to a report that has begun, and says nothing without one.
    Within,
}

impl Pattern {
    /// The literal by which a line is found: the text in front of the first hole, or behind it where the text begins with one.
    pub(crate) fn mark(&self) -> &'static [u8] {
        let text = self.text.strip_prefix("{}").unwrap_or(self.text);
        let mark = scan::cut(text, "{}").map_or(text, |(front, _)| front).trim_ascii_start().as_bytes();
        // Runs of spaces differ from release to release.
        mark.split(|byte| *byte == b' ').next().filter(|word| word.len() >= 11).unwrap_or_else(|| up_to_run(mark))
    }
}

/// Bytes at the end of a line that may be the beginning of a number with its unit, or of what stands between two words.
const LAST_WORDS: usize = 24;

/// Bytes of what is skipped and of a name at most: a line that repeats the beginning of a pattern would be looked through once for each.
const FARTHEST: usize = 2 << 10;

/// Why a line is not that of a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unread {
    /// A number that stands where one is expected and can't be read.
    pub(crate) odd: Option<Place>,
    /// Whether the line ends within the pattern.
    pub(crate) ends: bool,
}

/// A pattern whose text is cut at its holes.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    /// The pattern.
    pub(crate) pattern: &'static Pattern,
    /// The literal by which it is found.
    pub(crate) mark: &'static [u8],
    pieces: Vec<&'static str>,
}

impl Reading {
    /// Of a pattern.
    pub(crate) fn new(pattern: &'static Pattern) -> Self {
        let mut pieces = Vec::new();
        let mut rest = pattern.text;
        while let Some((piece, behind)) = scan::cut(rest, "{}") {
            pieces.push(piece);
            rest = behind;
        }
        pieces.push(rest);
        Self { pattern, mark: pattern.mark(), pieces }
    }

    /// Reads the facts of the line at the place of the mark.
    ///
    /// # Errors
    /// It looks otherwise.
    pub(crate) fn read(&self, text: &[u8], at: usize, place: impl Fn(usize) -> Place) -> Result<Vec<Fact>, Unread> {
        let mut unread = Unread::default();
        self.facts(text, at, place, &mut unread).ok_or(unread)
    }

    fn facts(&self, text: &[u8], at: usize, place: impl Fn(usize) -> Place, unread: &mut Unread) -> Option<Vec<Fact>> {
        let mut facts = Vec::new();
        let mut device = Device::Unsaid;
        let (mut holes, mut here) = (self.pattern.holes.iter(), at);
        // `context_len` is none of `max_context_len`.
        let part = |at: usize| text.get(at).is_some_and(|byte| is_part(*byte));
        let escape = |at: usize| {
            let pair = at.checked_sub(2).and_then(|from| text.get(from..at));
            matches!(pair, Some([first, second]) if is_escape(*first, *second))
        };
        if part(at) && at.checked_sub(1).is_some_and(part) && !escape(at) {
            return None;
        }
        let mut pieces = self.pieces.iter().copied();
        if self.pieces.first().is_some_and(|piece| piece.is_empty()) {
            pieces.next();
            let from = at.saturating_sub(FARTHEST);
            let (start, word) = word_before(text.get(from..)?, at - from)?;
            // A name has an end.
            let start = start + from;
            if start == from && from > 0 {
                return None;
            }
            match holes.next()? {
                Hole::Buffer => device = buffer(word)?,
                Hole::Device => device = Device::Gpu(u16::try_from(Number::read(word)?.count()?).ok()?),
                hole => facts.push(fact(*hole, text.get(start..at)?, place(start))?.0),
            }
        }
        // The place is that of the first word behind a hole.
        let mut piece = pieces.next()?.trim_ascii_start();
        loop {
            let rest = text.get(here..)?;
            let Some(covered) = scan::covered(rest, piece.as_bytes()) else {
                unread.ends = scan::ends_within(rest, piece.as_bytes());
                return None;
            };
            here += covered;
            let Some(next) = pieces.next() else { break };
            let rest = text.get(here..)?;
            let spaces = rest.len() - scan::unspaced(rest).len();
            let rest = rest.get(spaces..)?;
            // What can't be read here may go on in another line.
            unread.ends = rest.len() <= LAST_WORDS;
            let near = rest.get(..FARTHEST).unwrap_or(rest);
            let length = match holes.next()? {
                Hole::Skip => until(near, next)?,
                Hole::Pad => 0,
                Hole::Bar => rest.iter().take_while(|byte| matches!(byte, b'|' | b' ')).count(),
                Hole::Device => {
                    let number = Number::read(rest)?;
                    device = Device::Gpu(u16::try_from(number.count()?).ok()?);
                    rest.len() - number.rest.len()
                }
                Hole::Buffer => {
                    let word = near.iter().take_while(|byte| is_word(**byte)).count();
                    // A point may be a part of the name, or what stands behind it.
                    let length = until(near, next).filter(|end| !next.is_empty() && *end < word).unwrap_or(word);
                    device = buffer(rest.get(..length)?)?;
                    length
                }
                Hole::Name(what) => {
                    let length = until(near, next)?;
                    // A name that can't be shown leaves the line's numbers as they are.
                    if let Some(value) = name::value(*what, rest.get(..length)?) {
                        let (what, place) = (*what, place(here + spaces));
                        facts.push(Fact { place, device: Device::Unsaid, what, value });
                    }
                    length
                }
                Hole::Shape(what) => {
                    let length = until(near, next)?;
                    let (what, value) = (*what, shape(rest.get(..length)?)?);
                    facts.push(Fact { place: place(here + spaces), device: Device::Unsaid, what, value });
                    length
                }
                Hole::Sum(what) => {
                    let (mut behind, mut sum) = (rest, 0_i64);
                    while let Some((read, left)) = fact(Hole::Of(*what, Unit::BYTE), behind, place(here + spaces)) {
                        let Value::Size(size) = read.value else { break };
                        sum = sum.saturating_add(size.bytes);
                        behind = left;
                    }
                    if behind.len() == rest.len() {
                        return None;
                    }
                    let value = Value::Size(Size::exact(sum));
                    facts.push(Fact { place: place(here + spaces), device: Device::Unsaid, what: *what, value });
                    rest.len() - behind.len()
                }
                Hole::Sizes(what) => {
                    let mut behind = rest;
                    let first = facts.len();
                    while let Some((fact, left)) =
                        fact(Hole::Size(*what), behind, place(here + spaces + rest.len() - behind.len()))
                    {
                        facts.push(fact);
                        behind = left;
                    }
                    let each = facts.get_mut(first..).filter(|each| !each.is_empty())?;
                    if each.len() > 1 {
                        each.iter_mut().zip(0..).for_each(|(fact, gpu)| fact.device = Device::Gpu(gpu));
                    }
                    rest.len() - behind.len()
                }
                hole => {
                    let read = fact(*hole, rest, place(here + spaces));
                    // Few words in front may be anybody's.
                    if read.is_none() && here - at > 8 && rest.first().is_some_and(u8::is_ascii_digit) {
                        unread.odd = Some(place(here + spaces));
                    }
                    let (fact, behind) = read?;
                    facts.push(fact);
                    rest.len() - behind.len()
                }
            };
            unread.ends = false;
            here += spaces + length;
            piece = next;
        }
        if device != Device::Unsaid {
            for fact in &mut facts {
                fact.device = device;
            }
        }
        Some(facts)
    }
}

/// A mark ends where two spaces or a tab may stand.
fn up_to_run(mark: &'static [u8]) -> &'static [u8] {
    let end = mark.windows(2).position(|pair| pair == b"  ").unwrap_or(mark.len());
    mark.get(..end).unwrap_or(mark).trim_ascii_end()
}

/// The number of a hole, and what stands behind it.
fn fact(hole: Hole, text: &[u8], place: Place) -> Option<(Fact, &[u8])> {
    let number = Number::read(text)?;
    let (what, value, rest) = match hole {
        Hole::Size(what) | Hole::Decimal(what) | Hole::Floor(what) => {
            let base = if matches!(hole, Hole::Decimal(_)) { Base::Decimal } else { Base::Binary };
            // Where the comma is the point, the unit stands behind both.
            let (number, (unit, rest)) = match Unit::read(number.rest) {
                Some(found) => (number, found),
                None => Number::with_comma(text).and_then(|number| Some((number, Unit::read(number.rest)?)))?,
            };
            // What is beyond all sizes is no limit.
            let beyond = || (what == What::HostLimit).then(|| Size::exact(MOST));
            let size = number.size(unit.bytes(base)).or_else(beyond)?;
            (what, Value::Size(if matches!(hole, Hole::Floor(_)) { size.floored() } else { size }), rest)
        }
        Hole::Of(what, unit) => {
            // Another program may print the same words with a unit: "Limit: 31.2 GiB".
            let rest = scan::unspaced(number.rest);
            let told = Unit::read(rest).filter(|_| unit == Unit::BYTE && rest.get(1..3) == Some(b"iB"));
            let (bytes, rest) =
                told.map_or((unit.bytes(Base::Decimal), number.rest), |(told, rest)| (told.bytes(Base::Binary), rest));
            // What is less than nothing and was subtracted without a sign.
            let wrapped = || matches!(what, What::Unaccounted | What::Free).then(|| number.wrapped(bytes)).flatten();
            (what, Value::Size(number.size(bytes).or_else(wrapped)?), rest)
        }
        Hole::Count(what) => (what, Value::Count(number.count()?), number.rest),
        Hole::Letters(what) => {
            let rest = scan::unspaced(number.rest);
            let scale = match rest.first()? {
                b'K' => 1_000,
                b'M' => 1_000_000,
                b'B' => 1_000_000_000,
                b'T' => 1_000_000_000_000,
                _ => return None,
            };
            (what, Value::Count(number.size(scale)?.bytes.unsigned_abs()), rest.get(1..)?)
        }
        Hole::Billions(what) => (what, Value::Count(number.millionths()?.checked_mul(1_000)?), number.rest),
        Hole::Ratio(what) => (what, Value::Millionths(number.millionths()?), number.rest),
        Hole::Name(_)
        | Hole::Shape(_)
        | Hole::Sizes(_)
        | Hole::Sum(_)
        | Hole::Device
        | Hole::Buffer
        | Hole::Skip
        | Hole::Pad
        | Hole::Bar => {
            return None;
        }
    };
    Some((Fact { place, device: Device::Unsaid, what, value }, rest))
}

/// Dimensions with commas between them, eight at most.
pub(crate) fn shape(text: &[u8]) -> Option<Value> {
    let mut dimensions = text.split(|byte| *byte == b',').map(|part| {
        let number = Number::read(part)?;
        number.rest.trim_ascii().is_empty().then(|| number.count())?
    });
    let shape: Option<Vec<u64>> = dimensions.by_ref().take(9).collect();
    shape.filter(|shape| (1..=8).contains(&shape.len())).map(|shape| Value::Shape(shape.into_boxed_slice()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pattern: &'static Pattern, text: &str) -> Option<Vec<Fact>> {
        let reading = Reading::new(pattern);
        let at = scan::find(text.as_bytes(), reading.mark)?;
        reading.read(text.as_bytes(), at, |at| Place { line: 1, column: at + 1 }).ok()
    }

    const KV: Pattern = Pattern {
        kind: Kind::LlamaCpp,
        text: "{} KV buffer size = {}",
        holes: &[Hole::Buffer, Hole::Size(What::KvCache)],
        says: Says::Nothing,
    };

    #[test]
    fn holes_are_read_in_both_directions() {
        let facts = read(&KV, "llama_kv_cache:      CUDA1 KV buffer size =   768.00 MiB").unwrap();
        assert_eq!(facts.len(), 1);
        assert_eq!(facts[0].device, Device::Gpu(1));
        assert_eq!(facts[0].value, Value::Size(Size { bytes: 768 << 20, grain: 10_485, floor: false }));
        assert_eq!(facts[0].place.column, 47);
        assert_eq!(read(&KV, "CPU KV buffer size = 4.00 MiB").unwrap()[0].device, Device::Host);
        assert_eq!(read(&KV, "KV buffer size = 4.00 MiB"), None);
        assert_eq!(read(&KV, "CUDA1 KV buffer size = many MiB"), None);
        assert_eq!(read(&KV, "CUDA1 KV buffer size ="), None);
    }

    #[test]
    fn a_size_may_stand_in_front_of_its_words() {
        const RESERVED: Pattern = Pattern {
            kind: Kind::Cuda,
            text: "{} is reserved by PyTorch",
            holes: &[Hole::Size(What::ReservedFree)],
            says: Says::Nothing,
        };
        for text in ["and 19.65 MiB is reserved by PyTorch", "and 19.65MiB is reserved by PyTorch"] {
            let facts = read(&RESERVED, text).unwrap();
            assert_eq!(facts[0].value, Value::Size(Size::read(b"19.65 MiB", Base::Binary).unwrap()), "{text}");
            assert_eq!(facts[0].place.column, 5);
        }
        assert_eq!(read(&RESERVED, "nothing is reserved by PyTorch"), None);
    }
}

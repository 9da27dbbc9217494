//! Plans as the query of a link: `v=1&plan=fp8&model=llama-3.1-70b&seq=8192&plan=bf16&model=…`.
//!
//! Each `plan=` begins a plan and says its name; what follows are its options by their names in files, and what is asked beside them, `price` and `tokens`.
//! Reading never fails: what cannot be used is named, and the rest applies. Keys are only ever added.
//! A link that begins with `from=tutorial` has the settings of the tutorial instead, see [`tutorial`].

use std::fmt::Write as _;

use memory_wall_app::state::decimal::Decimal;
use memory_wall_core::number::Kilo;
use memory_wall_plan::answers::Spending;
use memory_wall_plan::file::{LONGEST_NAME, MOST};
use memory_wall_plan::{AsTyped, Plan, Value, by_name};

use crate::tutorial;

/// The longest query that is read.
pub const LONGEST: usize = 4_000;
/// The version that is written.
const VERSION: &str = "1";
/// The longest part of a query that a notice repeats.
const REPEATED: usize = 40;
/// The most notices; what is beyond them is not told.
const NOTICES: usize = 8;
/// How prices are written, and counts of tokens.
pub(crate) const PRICE: Decimal = Decimal::RATE;
pub(crate) const TOKENS: Decimal = Decimal::COUNT;

/// A plan with what is asked beside its options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The plan.
    pub plan: Plan,
    /// What a GPU costs, and how much is trained.
    pub spending: Spending,
}

/// What of a link could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The link was written by another version; the settings that can be read are used.
    Version,
    /// It is longer than [`LONGEST`], and its end was not read.
    Long,
    /// A key that is not known.
    Unknown(String),
    /// A value that its key does not take.
    Value(String, String),
    /// A key that its plan has twice.
    Twice(String),
    /// More than [`MOST`] plans.
    Many,
}

/// Plans as a query.
pub fn write(plans: &[Asked]) -> String {
    let mut query = String::from("v=1");
    for Asked { plan, spending } in plans {
        // Writing into a string does not fail.
        let _ = write!(query, "&plan={}", encoded(&plan.name));
        for (option, value) in plan.said() {
            // A file is on the reader's own disk.
            if !matches!(value, Value::Path(_)) {
                let _ = write!(query, "&{}={}", option.name, encoded(&AsTyped(value).to_string()));
            }
        }
        for (key, kind, value) in [("price", PRICE, spending.price), ("tokens", TOKENS, spending.tokens)] {
            if let Some(value) = value {
                let _ = write!(query, "&{key}={}", kind.write(value));
            }
        }
    }
    query
}

/// The plans of a query, and what of it could not be used.
///
/// # Example
/// ```
/// use memory_wall_planner::link::{self, Notice};
/// let query = "v=1&plan=two%20GPUs&model=llama-3.1-70b&gpu=h100-sxm&tp=2&price=2.5";
/// let (plans, notices) = link::read(query);
/// assert_eq!(notices, []);
/// assert_eq!((plans[0].plan.name.as_str(), plans[0].spending.price), ("two GPUs", Some(2_500)));
/// assert_eq!(link::write(&plans), query);
/// let (_, notices) = link::read("v=1&plan=a&seq=0");
/// assert_eq!(notices, [Notice::Value("seq".into(), "0".into())]);
/// ```
pub fn read(query: &str) -> (Vec<Asked>, Vec<Notice>) {
    let (mut plans, mut notices) = (Vec::<Asked>::new(), Vec::new());
    let query = query.strip_prefix('?').unwrap_or(query);
    if let Some(read) = tutorial::read(query.get(..LONGEST).unwrap_or(query)) {
        return read;
    }
    let mut end = query.len().min(LONGEST);
    while !query.is_char_boundary(end) {
        end -= 1;
    }
    let (query, rest) = query.split_at(end);
    let mut left_out = false;
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let (key, value) = (decoded(key), decoded(value));
        let refused = || Notice::Value(repeated(&key), repeated(&value));
        match key.as_str() {
            "v" if value != VERSION => notices.push(Notice::Version),
            "v" => {}
            "plan" if plans.len() == MOST => {
                left_out = true;
                notices.push(Notice::Many);
            }
            "plan" => {
                let name = if is_name(&value) { value } else { String::new() };
                plans.push(Asked { plan: Plan::new(name), spending: Spending::default() });
            }
            // What belongs to a plan that is left out is left out with it.
            _ if left_out => {}
            _ => {
                if plans.is_empty() {
                    plans.push(Asked::default());
                }
                let Some(asked) = plans.last_mut() else { continue };
                notices.extend(put(asked, &key, &value).err().map(|fault| match fault {
                    Fault::Unknown => Notice::Unknown(repeated(&key)),
                    Fault::Twice => Notice::Twice(repeated(&key)),
                    Fault::Value => refused(),
                }));
            }
        }
    }
    if !rest.is_empty() {
        notices.push(Notice::Long);
    }
    notices.truncate(NOTICES);
    (plans, notices)
}

enum Fault {
    Unknown,
    Twice,
    Value,
}

/// Puts one key into a plan.
fn put(asked: &mut Asked, key: &str, value: &str) -> Result<(), Fault> {
    let own = match key {
        "price" => Some((PRICE, &mut asked.spending.price)),
        "tokens" => Some((TOKENS, &mut asked.spending.tokens)),
        _ => None,
    };
    if let Some((kind, own)) = own {
        if own.is_some() {
            return Err(Fault::Twice);
        }
        *own = Some(kind.read(value).ok_or(Fault::Value)?);
        return Ok(());
    }
    let option = by_name(key).ok_or(Fault::Unknown)?;
    if asked.plan.get(option.name).is_some() {
        return Err(Fault::Twice);
    }
    // A number in a link never changes its meaning.
    asked.plan.set(option.name, option.kind.typed(value, Kilo::Decimal).map_err(|_| Fault::Value)?);
    Ok(())
}

/// Whether a text can be the name of a plan.
pub fn is_name(text: &str) -> bool {
    text.chars().count() <= LONGEST_NAME && !text.chars().any(char::is_control)
}

fn repeated(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(REPEATED).collect()
}

/// Text in a query: letters, digits and a few marks stay, the rest is percent-encoded.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~,".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// The same read back; a plus is a space, and what is no text is replaced.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let digits = behind.split_at_checked(2).filter(|_| *first == b'%');
        let byte = digits.and_then(|(digits, _)| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        rest = if let (Some(byte), Some((_, behind))) = (byte, digits) {
            bytes.push(byte);
            behind
        } else {
            bytes.push(if *first == b'+' { b' ' } else { *first });
            behind
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

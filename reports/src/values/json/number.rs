//! Numbers of a JSON text.

use super::super::{Collector, Value};
use super::{Parser, Wrong, wrong};

impl<C: Collector> Parser<'_, '_, C> {
    /// How many digits come next.
    fn digits(&mut self) -> usize {
        let rest = self.input.get(self.at..).unwrap_or_default();
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        count
    }

    pub(super) fn number(&mut self) -> Result<Value, Wrong> {
        let start = self.at;
        let negative = self.input.get(self.at) == Some(&b'-');
        self.at += usize::from(negative);
        let first = self.at;
        let whole = self.digits();
        if whole == 0 || whole > 1 && self.input.get(first) == Some(&b'0') {
            self.at = start;
            return wrong("invalid number");
        }
        let end = self.at;
        let mut places = 0;
        if self.input.get(self.at) == Some(&b'.') {
            self.at += 1;
            places = self.digits();
            if places == 0 {
                return wrong("invalid number");
            }
        }
        let mut power = 0;
        let is_scientific = matches!(self.input.get(self.at), Some(b'e' | b'E'));
        if is_scientific {
            self.at += 1;
            let minus = self.input.get(self.at) == Some(&b'-');
            self.at += usize::from(matches!(self.input.get(self.at), Some(b'+' | b'-')));
            let from = self.at;
            if self.digits() == 0 {
                return wrong("invalid number");
            }
            let size = all(self.input.get(from..self.at).unwrap_or_default()).map_or(9_999, |size| size.min(9_999));
            power = i32::try_from(size).unwrap_or(9_999) * if minus { -1 } else { 1 };
        }
        let digits = self.input.get(first..end).unwrap_or_default();
        if let (false, 0, Some(number)) = (is_scientific, places, all(digits)) {
            match (negative, i64::try_from(number)) {
                (false, _) => return Ok(Value::Whole(number)),
                (true, Ok(number)) if number > 0 => return Ok(Value::Negative(-number)),
                _ if negative && number == 1 << 63 => return Ok(Value::Negative(i64::MIN)),
                _ => {}
            }
        }
        let fraction = self.input.get(end + 1..end + 1 + places).unwrap_or_default();
        let number = decimal(digits, fraction, power);
        if number.is_infinite() {
            self.at = start;
            return wrong("number out of range");
        }
        Ok(Value::Number(if negative { -number } else { number }))
    }
}

/// The number that digits are; nothing where 64 bits do not hold it.
fn all(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0_u64, |number, digit| number.checked_mul(10)?.checked_add((digit - b'0').into()))
}

/// A fraction, from its first 19 digits: exact to the last bit for what people and programs write, and to a few of them elsewhere.
fn decimal(whole: &[u8], fraction: &[u8], power: i32) -> f64 {
    let mut power = power.saturating_sub(i32::try_from(fraction.len()).unwrap_or(i32::MAX));
    let mut number = 0_u64;
    for digit in whole.iter().chain(fraction) {
        if number < u64::MAX / 10 - 1 {
            number = number * 10 + u64::from(digit - b'0');
        } else {
            power = power.saturating_add(1);
        }
    }
    let mut result = number as f64;
    while power != 0 && result != 0.0 && result.is_finite() {
        let step = power.unsigned_abs().min(22);
        let scale = (0..step).fold(1.0, |scale, _| scale * 10.0);
        if power > 0 {
            result *= scale;
            power -= i32::try_from(step).unwrap_or(0);
        } else {
            result /= scale;
            power += i32::try_from(step).unwrap_or(0);
        }
    }
    result
}

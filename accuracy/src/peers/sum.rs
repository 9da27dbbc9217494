//! Worked out: the arithmetic of calculations by hand and of other tools' formulas.

/// The worth of whole numbers joined by `+ - * /` and parentheses; the usual order, from left to right.
///
/// ```
/// use memory_wall_accuracy::peers::worth;
/// assert_eq!(worth("2 * (3 + 4) - 10 / 4"), Ok(11.5));
/// assert!(worth("2 * (3 + 4").is_err());
/// ```
pub fn worth(text: &str) -> Result<f64, String> {
    let mut rest = text.trim_start();
    let worth = added(&mut rest)?;
    if rest.is_empty() { Ok(worth) } else { Err(format!("{rest:?} of {text:?} is not arithmetic")) }
}

fn added(rest: &mut &str) -> Result<f64, String> {
    let mut sum = multiplied(rest)?;
    loop {
        if took(rest, '+') {
            sum += multiplied(rest)?;
        } else if took(rest, '-') {
            sum -= multiplied(rest)?;
        } else {
            return Ok(sum);
        }
    }
}

fn multiplied(rest: &mut &str) -> Result<f64, String> {
    let mut product = single(rest)?;
    loop {
        if took(rest, '*') {
            product *= single(rest)?;
        } else if took(rest, '/') {
            product /= single(rest)?;
        } else {
            return Ok(product);
        }
    }
}

fn single(rest: &mut &str) -> Result<f64, String> {
    if took(rest, '(') {
        let worth = added(rest)?;
        return if took(rest, ')') { Ok(worth) } else { Err(format!("a parenthesis is open before {rest:?}")) };
    }
    let (digits, behind) = rest.split_at(rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len()));
    let worth = digits.parse().map_err(|_| format!("a number is missing before {rest:?}"))?;
    *rest = behind.trim_start();
    Ok(worth)
}

fn took(rest: &mut &str, sign: char) -> bool {
    let Some(behind) = rest.strip_prefix(sign) else { return false };
    *rest = behind.trim_start();
    true
}

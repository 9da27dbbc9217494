//! What GPUs cost an hour: the reader's own figures by kinds of GPU, kept on the device.

#![cfg_attr(not(any(target_arch = "wasm32", test)), allow(dead_code, reason = "read and kept in browsers alone"))]

use std::fmt::Write as _;

use memory_wall_plan::gpu;

use crate::link::PRICE;

/// Prices of a GPU and hour, in thousandths of the reader's currency.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Prices(Vec<(&'static str, u64)>);

impl Prices {
    /// What was kept: `h100-sxm=2.5&b200=6`. What is not understood is left out.
    pub(crate) fn read(text: &str) -> Self {
        let one = |part: &str| {
            let (id, price) = part.split_once('=')?;
            Some((gpu(id)?.id, PRICE.read(price)?))
        };
        Self(text.split('&').filter_map(one).collect())
    }

    /// The same as it is kept.
    pub(crate) fn write(&self) -> String {
        self.0.iter().fold(String::new(), |mut text, (id, price)| {
            let and = if text.is_empty() { "" } else { "&" };
            // Writing into a string does not fail.
            let _ = write!(text, "{and}{id}={}", PRICE.write(*price));
            text
        })
    }

    /// The price of a kind of GPU.
    pub(crate) fn of(&self, id: &str) -> Option<u64> {
        self.0.iter().find(|(own, _)| *own == id).map(|(_, price)| *price)
    }

    /// Gives a kind of GPU another price, or none.
    pub(crate) fn put(&mut self, id: &'static str, price: Option<u64>) {
        self.0.retain(|(own, _)| *own != id);
        self.0.extend(price.map(|price| (id, price)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again() {
        let mut prices = Prices::read("h100-sxm=2.5&no-such-gpu=1&b200=-3&a100-80-sxm");
        assert_eq!((prices.of("h100-sxm"), prices.write().as_str()), (Some(2_500), "h100-sxm=2.5"));
        prices.put("b200", Some(6_000));
        prices.put("h100-sxm", Some(2_000));
        assert_eq!(prices.write(), "b200=6&h100-sxm=2");
        assert_eq!(Prices::read(&prices.write()), prices);
        prices.put("b200", None);
        assert_eq!(prices.of("b200"), None);
        assert_eq!(Prices::read(""), Prices::default());
    }
}

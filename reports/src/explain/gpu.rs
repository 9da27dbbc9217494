//! Which GPU a report is about: by its name, or by how much memory it has.

use alloc::string::String;
use alloc::vec::Vec;

use memory_wall_core::tables::gpus::{GPUS, Gpu};

use crate::{Size, scan};

/// What is in names of GPUs with other memory than those in the table.
const OTHERS: [&str; 8] = ["laptop", "mobile", "sff", "6000d", "5090dv2", "3070ti", "3080ti", "l40g"];

/// The GPU of this name; nothing of a laptop's or a small computer's, nor of those with other memory than their namesakes: those sold in China, some Ti.
pub fn named(name: &str, capacity: Option<Size>) -> Option<&'static Gpu> {
    let stated = name.split([' ', '(', ')']).find_map(|word| gigabytes(&word.to_ascii_lowercase()));
    let (name, alike) = alike(name)?;
    let near = |gpu: &&&'static Gpu| capacity.is_none_or(|size| holds(gpu, size));
    // Of several with one name: the connector and the gigabytes in the name, then the memory that is reported.
    let fits = |gpu: &&&'static Gpu| {
        gpu.id.split('-').skip(1).all(|word| match word {
            "sxm" => !name.contains("pcie") && !name.contains("nvl"),
            "pcie" | "nvl" => name.contains(word),
            "8" => name.contains("8gb") || capacity.is_some(),
            "40" | "80" | "16" | "32" | "12" | "22" | "72" | "3e" => name.contains(word) || capacity.is_some(),
            _ if gpu.vendor == "Google" => name.contains(word),
            // An Arc A770 has 8 GB too.
            _ => !gpu.id.starts_with("arc") || name.contains(word) && stated.is_none_or(|size| size == gpu.printed_gb),
        })
    };
    // The name that says most, and of equal ones the first.
    let words = |gpu: &&&'static Gpu| gpu.id.split('-').count();
    let chosen = alike.iter().rev().filter(fits).filter(near).max_by_key(words);
    // An RTX 4060 Ti has 8 or 16 GB.
    let several = name.contains("4060ti");
    let chosen = chosen.or_else(|| if alike.len() == 1 && !several { alike.first() } else { None });
    chosen.copied()
}

/// The GPUs of the table among which a name leaves open which one it is: `A100` has 40 or 80 GB.
pub fn several_named(name: &str) -> Vec<&'static Gpu> {
    let open = named(name, None).is_none();
    let alike = alike(name).map(|(_, alike)| alike).unwrap_or_default();
    let series = alike.iter().any(|gpu| gpu.id.starts_with("arc") || gpu.vendor == "Google");
    if open && alike.len() > 1 && !series { alike } else { Vec::new() }
}

/// A name in small letters without spaces, and the GPUs that go by it.
fn alike(name: &str) -> Option<(String, Vec<&'static Gpu>)> {
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    if scan::has_any(name.as_bytes(), &OTHERS) {
        return None;
    }
    // "AMD 9070xt", "NVIDIA 4090": without the series, which the table's names have.
    let name = ["amd", "radeon", "nvidia", "geforce"].iter().fold(name, |name, maker| {
        let series = if matches!(*maker, "amd" | "radeon") { "rx" } else { "rtx" };
        match name.strip_prefix(maker) {
            Some(rest) if rest.starts_with(|first: char| first.is_ascii_digit()) => [series, rest].concat(),
            _ => name,
        }
    });
    let base = |gpu: &Gpu| gpu.id.split('-').next().unwrap_or(gpu.id);
    // "l4" stands in "l40s" too: the longest is meant.
    let longest = GPUS.iter().map(base).filter(|base| has(&name, base)).map(str::len).max()?;
    // "RTX 3060 6GB" is a laptop's.
    let sized = |gpu: &Gpu| {
        let behind = name.match_indices(base(gpu)).next().and_then(|(at, base)| name.get(at + base.len()..));
        behind.and_then(gigabytes).is_none_or(|size| size == gpu.printed_gb)
    };
    let alike: Vec<&'static Gpu> =
        GPUS.iter().filter(|gpu| base(gpu).len() == longest && has(&name, base(gpu)) && sized(gpu)).collect();
    Some((name, alike))
}

/// Whether a name has that of a GPU in it, which doesn't go on with a digit: no "t4" in "t400".
fn has(name: &str, base: &str) -> bool {
    name.match_indices(base).any(|(at, _)| {
        let before = name.as_bytes().get(at.wrapping_sub(1));
        let after = name.as_bytes().get(at + base.len());
        // "NVIDIA A100 80G..." is how nvidia-smi shortens it.
        let size = |rest: &str| rest.starts_with("3e") || gigabytes(rest).is_some();
        let sized = name.get(at + base.len()..).is_some_and(size);
        // "sxm4" is no Apple M4, and a GH200 has 96 GB where an H200 has 141.
        let inside =
            [('m', b'x'), ('h', b'g')].iter().any(|(first, it)| base.starts_with(*first) && before == Some(it));
        !inside && (sized || !after.is_some_and(u8::is_ascii_digit))
    })
}

/// The gigabytes at the beginning of a text: `80gbhbm3`.
fn gigabytes(text: &str) -> Option<u16> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at_checked(digits)?;
    number.parse().ok().filter(|_| rest.starts_with('g') && !number.starts_with('0') && digits < 4)
}

/// Whether a GPU is known to report so much memory, give or take what drivers differ by.
fn holds(gpu: &Gpu, size: Size) -> bool {
    let slack = i128::try_from(gpu.capacity.0 / 80).unwrap_or(0);
    let [least, most] = [gpu.capacity.0, gpu.capacity_most.0].map(|bytes| i128::try_from(bytes).unwrap_or(i128::MAX));
    (least - slack..=most.max(i128::from(gpu.printed_gb) << 30)).contains(&i128::from(size.bytes))
}

/// Whether a GPU of this name may have so much memory, as may one that the table doesn't have.
pub(super) fn may_have(name: &str, size: Size) -> bool {
    named(name, Some(size)).or_else(|| named(name, None)).is_none_or(|gpu| holds(gpu, size))
}

/// The GPUs that report this much memory. With a vendor, only its own; without one, all but Google's TPUs and Apple's, of which a program
/// may take a part that says nothing of their kind.
pub fn with_capacity(size: Size, vendor: Option<&str>) -> Vec<&'static Gpu> {
    let near = |gpu: &&'static Gpu| {
        if vendor.map_or(matches!(gpu.vendor, "Google" | "Apple"), |vendor| gpu.vendor != vendor) {
            return false;
        }
        let slack = gpu.capacity.0 / 400;
        let bytes = u128::try_from(size.bytes).unwrap_or(0);
        (gpu.capacity.0 - slack..=gpu.capacity_most.0 + slack).contains(&bytes)
    };
    GPUS.iter().filter(near).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Base;

    #[test]
    fn drivers_names_are_rows_of_the_table() {
        for (name, id) in [
            ("NVIDIA H100 80GB HBM3", "h100-sxm"),
            ("NVIDIA H100 PCIe", "h100-pcie"),
            ("NVIDIA H200", "h200-sxm"),
            ("NVIDIA H20", "h20"),
            ("NVIDIA H20-3e", "h20-3e"),
            ("NVIDIA_H20-3e", "h20-3e"),
            ("NVIDIA A100-SXM4-80GB", "a100-80-sxm"),
            ("NVIDIA A100-SXM4-40GB", "a100-40-sxm"),
            ("NVIDIA A100 80GB PCIe", "a100-80-pcie"),
            ("NVIDIA A100-PCIE-40GB", "a100-40-pcie"),
            ("NVIDIA A100 80G...", "a100-80-sxm"),
            ("Tesla T4", "t4"),
            ("Tesla V100-SXM2-16GB", "v100-sxm2-16"),
            ("NVIDIA L4", "l4"),
            ("NVIDIA L40S", "l40s"),
            ("NVIDIA A10G", "a10g"),
            ("NVIDIA GeForce RTX 3090", "rtx3090"),
            ("NVIDIA GeForce RTX 3090 Ti", "rtx3090ti"),
            ("NVIDIA GeForce RTX 4080 SUPER", "rtx4080super"),
            ("NVIDIA RTX A6000", "rtxa6000"),
            ("NVIDIA RTX 6000 Ada Generation", "rtx6000ada"),
            ("NVIDIA GB10", "gb10"),
            ("AMD Instinct MI300X", "mi300x"),
            ("Radeon RX 7900 XTX", "rx7900xtx"),
            ("AMD Radeon RX 7900 XT", "rx7900xt"),
            ("AMD Radeon RX 9070 XT", "rx9070xt"),
            ("AMD Radeon AI PRO R9700", "r9700"),
            ("AMD Radeon PRO W7900", "w7900"),
            ("AMD Radeon VII", "radeonvii"),
            ("AMD Instinct MI100", "mi100"),
            ("Tesla P40", "p40"),
            ("NVIDIA A30", "a30"),
            ("NVIDIA GeForce GTX 1660 Ti", "gtx1660ti"),
            ("NVIDIA GeForce RTX 2080 Ti", "rtx2080ti"),
            ("NVIDIA GeForce RTX 4070 SUPER", "rtx4070super"),
            ("NVIDIA GeForce RTX 4070 Ti SUPER", "rtx4070tisuper"),
            ("NVIDIA GeForce RTX 5060", "rtx5060"),
            ("NVIDIA GeForce RTX 5060 Ti 16GB", "rtx5060ti-16"),
            ("NVIDIA GeForce RTX 5060 Ti 8GB", "rtx5060ti-8"),
            ("NVIDIA RTX A4000", "rtxa4000"),
            ("NVIDIA RTX 4500 Ada Generation", "rtx4500ada"),
            ("NVIDIA RTX PRO 4500 Blackwell", "rtxpro4500"),
            ("NVIDIA RTX PRO 5000 Blackwell", "rtxpro5000"),
            ("NVIDIA RTX PRO 5000 72GB Blackwell", "rtxpro5000-72"),
            ("Intel(R) Arc(TM) A770 Graphics", "arc-a770"),
            ("Intel(R) Arc(TM) B580 Graphics", "arc-b580"),
            ("Intel(R) Arc(TM) Pro B60 Graphics", "arc-pro-b60"),
            ("Intel(R) Arc(TM) Pro B70 Graphics", "arc-pro-b70"),
            ("Apple M5", "m5"),
            ("Apple M5 Pro", "m5pro"),
            ("Apple M4 Max", "m4max"),
            ("AMD 9070xt 16G", "rx9070xt"),
            ("NVIDIA 4090", "rtx4090"),
            ("RTX 3090 24GB", "rtx3090"),
            ("RTX 3060 12GB", "rtx3060-12"),
            ("NVIDIA H200 141GB", "h200-sxm"),
            ("TPU v5e", "tpu-v5e"),
            ("TPU v6e", "tpu-v6e"),
            ("TPU v4", "tpu-v4"),
        ] {
            assert_eq!(named(name, None).map(|gpu| gpu.id), Some(id), "{name}");
        }
        for name in [
            "NVIDIA GeForce RTX 4090 Laptop GPU",
            "NVIDIA RTX PRO 4000 Blackwell SFF Edition",
            "NVIDIA GeForce RTX 5060 Ti",
            "NVIDIA T400",
            "RTX 3060 6GB",
            "NVIDIA T400 4GB",
            "GH200",
            "RTX PRO 6000 D",
            "NVIDIA GeForce RTX 5090 D v2",
            "AMD Radeon RX 6800",
            "Intel(R) Arc(TM) A750 Graphics",
            "TPU v3",
            "Apple M3 Ultra 256GB",
            "GPU",
            "",
        ] {
            assert_eq!(named(name, None).map(|gpu| gpu.id), None, "{name}");
        }
        // Of two with one name the memory decides.
        let size = |text: &str| Size::read(text.as_bytes(), Base::Binary);
        for (name, memory, id) in [
            ("NVIDIA GeForce RTX 5060 Ti", "15.48 GiB", "rtx5060ti-16"),
            ("NVIDIA GeForce RTX 5060 Ti", "7.6 GiB", "rtx5060ti-8"),
            ("NVIDIA GeForce RTX 2080 Ti", "21.67 GiB", "rtx2080ti-22"),
            ("NVIDIA GeForce RTX 2080 Ti", "10.57 GiB", "rtx2080ti"),
            ("AMD Instinct MI60 / MI50", "31.98 GiB", "mi50-32"),
            ("NVIDIA H20", "95.00 GiB", "h20"),
            ("NVIDIA H20", "139.80 GiB", "h20-3e"),
            ("NVIDIA H20-3e", "139.80 GiB", "h20-3e"),
        ] {
            assert_eq!(named(name, size(memory)).map(|gpu| gpu.id), Some(id), "{name} {memory}");
        }
    }

    #[test]
    fn memory_alone_names_few() {
        let ids = |text: &str| {
            with_capacity(Size::read(text.as_bytes(), Base::Binary).unwrap(), None)
                .iter()
                .map(|gpu| gpu.id)
                .collect::<Vec<_>>()
        };
        assert_eq!(ids("14.56 GiB"), ["t4"]);
        assert!(ids("79.15 GiB").contains(&"h100-sxm"));
        assert!(ids("3.00 GiB").is_empty());
        // "of 15.75G hbm": no GPU with 16 GB of its own.
        for (text, id) in [("15.75G", "tpu-v5e"), ("30.75G", "tpu-v4"), ("31.25G", "tpu-v6e"), ("95.74G", "tpu-v5p")] {
            let tpus = with_capacity(Size::read(text.as_bytes(), Base::Binary).unwrap(), Some("Google"));
            assert_eq!(tpus.iter().map(|gpu| gpu.id).collect::<Vec<_>>(), [id], "{text}");
        }
        assert!(!ids("15.75G").contains(&"tpu-v5e"));
        // Three quarters of the memory of some Mac.
        assert!(ids("48.00 GiB").iter().all(|id| !id.starts_with('m')));
    }
}

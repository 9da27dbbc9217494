//! The order in which the options of a question are shown: another one at each attempt, and the same after a reload.

/// An option's place at an attempt: options stand by this number, the smallest first. It depends on nothing but what is asked, so the
/// page is drawn in the order of the first attempt, and the browser finds the order of any other.
///
/// ```
/// use memory_wall_app::quiz::shuffle::rank;
/// assert_eq!(rank("oom.copy", 2, b'1'), rank("oom.copy", 2, b'1'));
/// assert_ne!(rank("oom.copy", 2, b'1'), rank("oom.copy", 3, b'1'));
/// ```
pub fn rank(question: &str, attempt: u32, option: u8) -> u32 {
    // FNV-1a with a start of its own, and one more mixing: neighbouring options differ in their last bits alone.
    let seed = question.bytes().fold(SEED, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(PRIME));
    let mixed =
        (seed ^ attempt.wrapping_mul(0x9e37_79b9) ^ u32::from(option).wrapping_mul(0x85eb_ca6b)).wrapping_mul(PRIME);
    let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x2c1b_3c6d);
    mixed ^ (mixed >> 13)
}

/// FNV's prime of 32 bits.
const PRIME: u32 = 16_777_619;
/// Chosen so that right options are spread evenly over the places, which a test of the questions measures.
const SEED: u32 = 2_590;

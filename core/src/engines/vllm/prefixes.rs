//! Prefixes of prompts that vLLM caches for models with states.

use super::pages::{Kept, Pages};
use crate::serving::Version;

/// The first release that caches prefixes of models with states by itself.
const BY_THEMSELVES: Version = Version { major: 0, minor: 28 };

/// States that a release keeps of a sequence: since 0.28 it caches prefixes of models with states by itself, in the mode "align".
///
/// # Assumes
/// The release's own default. Before, prefix caching is off for such models unless asked for; the largest figures reckon with that ([`Pages::caching_prefixes`]).
///
/// # Source
/// vLLM pull requests 50991 (0.28: "enable prefix cache for hybrid model by default and change the default mode to `align`") and 30877; a log of 0.29 whose pool of
/// 652 blocks of 784 tokens holds 38.35 requests of 8,192: 11 + 3 × 2 blocks each. Read 2026-11-25.
pub(super) fn states(version: Version) -> u64 {
    if version >= BY_THEMSELVES { 2 } else { 1 }
}

impl Pages {
    /// The same with prefix caching, which a scenario does not name: releases before those that do so by themselves keep a state more where it is asked for (`--enable-prefix-caching`).
    ///
    /// # Source
    /// vLLM pull request 30877, the mode "align" (2026-01). 208 blocks of 1,568 tokens hold 2.31 requests of 131,072 in 0.27, 84 + 3 × 2 blocks each (mitchross/talos-argocd-proxmox pull request 1995); 1,703 of 2,096 tokens in 0.25 hold 12.90 of 262,144,
    /// 126 + 3 × 2 (noonghunna/club-3090 issue 851). Read 2026-11-26.
    pub(super) fn caching_prefixes(mut self, version: Version) -> Self {
        for kind in self.kinds.iter_mut().flatten() {
            if let Kept::States(states) = &mut kind.kept
                && version >= (Version { major: 0, minor: 15 })
                && version < BY_THEMSELVES
            {
                *states += 1;
            }
        }
        self
    }
}

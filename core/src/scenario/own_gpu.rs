//! What has to be stated of a GPU of the reader's own: for a verdict, for the rules of a program, and for a time.

use core::fmt;

use super::{Mode, Scenario, ScenarioError};
use crate::precision::ComputePrecision;
use crate::serving::Engine;
use crate::tables::capability;

choices! {
    /// What of a GPU of the reader's own is not stated, called as the option is that states it.
    NotStated {
        /// Its memory, without which there is no verdict.
        Memory = "gpu_memory";
        /// Its compute capability, by which programs decide what they run.
        Capability = "gpu_capability";
        /// The bandwidth of its memory.
        Bandwidth = "gpu_bandwidth";
        /// Its dense peak in 16 bits.
        Rate = "gpu_tflops";
        /// Its dense peak in fp32.
        WideRate = "gpu_tflops_fp32";
        /// Its links to the other GPUs of the run.
        Link = "gpu_link";
        /// Its link to host memory.
        HostLink = "gpu_host_link";
    }
}

/// What is missing, as a part of a sentence.
impl fmt::Display for NotStated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "its memory",
            Self::Capability => "its compute capability",
            Self::Bandwidth => "its memory bandwidth",
            Self::Rate => "its 16-bit peak rate",
            Self::WideRate => "its fp32 peak rate",
            Self::Link => "its link to other GPUs",
            Self::HostLink => "its link to host memory",
        })?;
        write!(f, " ({})", self.id())
    }
}

impl Scenario {
    /// What would have to be stated of the reader's own GPU before a time can be said; nothing of a GPU of the table.
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::scenario::NotStated;
    /// use memory_wall_core::{Scenario, tables::{gpus, models}};
    /// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
    /// scenario.gpu = Some(&gpus::OWN);
    /// assert_eq!(scenario.untimed(), Some(NotStated::Bandwidth));
    /// scenario.gpu = gpus::by_id("l4");
    /// assert_eq!(scenario.untimed(), None);
    /// ```
    pub fn untimed(&self) -> Option<NotStated> {
        let gpu = self.gpu.filter(|gpu| gpu.is_own())?;
        let has = |precision| gpu.peaks.at(precision).is_some();
        let host = self.offload.optimizer || self.offload.parameters || self.offload.kv_cache;
        if gpu.bandwidth.0 <= 0.0 {
            Some(NotStated::Bandwidth)
        } else if !has(ComputePrecision::Fp16) {
            Some(NotStated::Rate)
        } else if self.activation_bytes() == 4 && !has(ComputePrecision::Fp32) {
            Some(NotStated::WideRate)
        } else if self.parallel.ranks() > 1 && gpu.peer_link.is_none() {
            Some(NotStated::Link)
        } else {
            (host && gpu.host_link.is_none()).then_some(NotStated::HostLink)
        }
    }

    /// Whether enough is stated of the reader's own GPU for a verdict, and for the rules of the program that runs there.
    ///
    /// # Errors
    /// What is not stated, and who asks for it.
    pub(super) fn states_own_gpu(&self) -> Result<(), ScenarioError> {
        let Some(gpu) = self.gpu.filter(|gpu| gpu.is_own()) else { return Ok(()) };
        if self.gpu_memory.is_none() {
            return Err(ScenarioError::OwnGpu(NotStated::Memory, "a verdict"));
        }
        let stepped = self.mode.trains() && self.optimizer.of_bitsandbytes();
        let who = match self.runtime() {
            Some(engine) => engine.label(),
            None if self.by_bitsandbytes() || stepped => "bitsandbytes",
            None => return Ok(()),
        };
        if capability::of(gpu).is_none() {
            return Err(ScenarioError::OwnGpu(NotStated::Capability, who));
        }
        // The buffers of communication depend on the link.
        let linked = self.mode == Mode::Inference && self.serving.engine == Engine::Vllm && self.parallel.ranks() > 1;
        if linked && gpu.peer_link.is_none() {
            return Err(ScenarioError::OwnGpu(NotStated::Link, who));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    extern crate alloc;

    use alloc::string::ToString;

    use super::*;
    use crate::engines::system;
    use crate::precision::WeightFormat;
    use crate::tables::capability::Capability;
    use crate::tables::gpus::{Gpu, OWN, Peak};
    use crate::tables::models;
    use crate::units::{ByteRate, Bytes, GIB};

    const MEMORY: Bytes = Bytes(24 * GIB);

    fn on(gpu: Gpu) -> Scenario {
        let gpu = alloc::boxed::Box::leak(alloc::boxed::Box::new(gpu));
        let model = models::by_id("llama-3.1-8b").unwrap();
        let memory = Some(gpu.capacity).filter(|memory| memory.0 > 0);
        Scenario { gpu: Some(gpu), gpu_memory: memory, ..Scenario::new(model.architecture) }
    }

    #[test]
    fn what_is_missing_is_asked_for_by_name() {
        let missing = |scenario: &Scenario| match scenario.check() {
            Err(ScenarioError::OwnGpu(missing, who)) => Some((missing, who)),
            _ => None,
        };
        assert_eq!(missing(&on(OWN)), Some((NotStated::Memory, "a verdict")));
        let mut bare = on(OWN.with_memory(MEMORY));
        assert_eq!(bare.check().map(|it| it.capacity()), Ok(Some(MEMORY)));
        for engine in Engine::ALL.iter().filter(|engine| **engine != Engine::Exact) {
            bare.serving.engine = *engine;
            assert_eq!(missing(&bare), Some((NotStated::Capability, engine.label())));
        }
        let mut qlora = on(OWN.with_memory(MEMORY));
        (qlora.mode, qlora.weights) = (Mode::Qlora, WeightFormat::Nf4Dq);
        assert_eq!(missing(&qlora), Some((NotStated::Capability, "bitsandbytes")));
        let ada = OWN.with_memory(MEMORY).with_capability(Capability::new(8, 9));
        let mut served = on(ada);
        served.serving.engine = Engine::Vllm;
        assert!(served.check().is_ok());
        served.parallel.tp = 2;
        assert_eq!(missing(&served), Some((NotStated::Link, "vLLM")));
        let said = served.check().unwrap_err().to_string();
        assert!(said.contains("gpu_link") && said.contains("vLLM"), "{said}");
    }

    /// All of a memory that the system shares is stated, and not what is free of it.
    #[test]
    fn the_system_holds_its_part_of_a_shared_memory() {
        let shared = OWN.with_memory(Bytes(110 * GIB)).with_capability(Capability::new(12, 1));
        let gb10 = crate::tables::gpus::by_id("gb10").unwrap();
        assert_eq!(system::held(&on(shared)), system::usual(gb10));
        assert_eq!(system::held(&on(OWN.with_memory(MEMORY).with_capability(Capability::new(12, 0)))), None);
    }

    #[test]
    fn a_time_needs_bandwidth_rate_and_the_links_that_the_run_uses() {
        let gpu = Gpu { bandwidth: ByteRate::from_gb_per_s(900.0), ..OWN.with_memory(MEMORY) };
        assert_eq!(on(gpu).untimed(), Some(NotStated::Rate));
        let gpu = gpu.with_16_bits(Peak::whole(100));
        assert_eq!(on(gpu).untimed(), None);
        let mut wide = on(gpu);
        wide.weights = WeightFormat::Fp32;
        assert_eq!(wide.untimed(), Some(NotStated::WideRate));
        let mut cut = on(gpu);
        cut.parallel.tp = 2;
        assert_eq!(cut.untimed(), Some(NotStated::Link));
        let mut offloaded = on(gpu);
        offloaded.offload.parameters = true;
        assert_eq!(offloaded.untimed(), Some(NotStated::HostLink));
    }
}

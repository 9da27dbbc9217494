//! The GPUs that a run could move to.

use crate::checked::Checked;
use crate::evaluate;
use crate::tables::classes::Class;
use crate::tables::gpus::{GPUS, Gpu};
use crate::verdict::Verdict;

/// The scenario on every GPU of the table that can stand in for its own, its own among them: of the same maker and class, with units for its
/// weights unless its own GPU has none either, and one on which its program runs. Where it names no GPU, on every data-centre and desktop GPU
/// that has the units and runs the program: all but modified ones. On a GPU without bf16 a run in bf16 is one in fp16.
///
/// ```
/// use memory_wall_core::{Scenario, alternatives, tables::{gpus, models}};
/// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
/// scenario.gpu = gpus::by_id("mi300x");
/// let scenario = scenario.check().unwrap();
/// assert!(alternatives::of(&scenario).all(|other| other.gpu.unwrap().vendor == "AMD"));
/// let desktop = scenario.on(gpus::by_id("rtx3090").unwrap()).check().unwrap();
/// assert!(alternatives::of(&desktop).all(|other| !other.gpu.unwrap().is_modified()));
/// ```
pub fn of(scenario: &Checked) -> impl Iterator<Item = Checked> {
    let scenario = *scenario;
    let stands_in = move |other: &Checked, gpu: &Gpu| match scenario.gpu {
        Some(own) => gpu.is_like(own) && (gpu.multiplies(other.weights) || !own.multiplies(scenario.weights)),
        None => matches!(gpu.class(), Class::DataCentre | Class::Desktop) && gpu.multiplies(other.weights),
    };
    // Nobody is told to buy a GPU that a workshop has changed.
    let sold = move |gpu: &&'static Gpu| !gpu.is_modified() || scenario.gpu.is_some_and(|own| own.id == gpu.id);
    GPUS.iter().filter(sold).filter_map(move |gpu| scenario.on(gpu).check().ok().filter(|other| stands_in(other, gpu)))
}

/// The same on those GPUs alone that hold it with room to spare: a run that is only tight there may fail by fragmentation.
pub fn roomy(scenario: &Checked) -> impl Iterator<Item = Checked> {
    of(scenario).filter(|other| evaluate::verdict(other) == Some(Verdict::Fits))
}

//! The tensors of a file, and what they take by class and by type.

use alloc::string::String;
use alloc::vec::Vec;

use crate::order::sorted;

use super::class::Class;
use super::dtype::Dtype;

/// One tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// How its values are stored.
    pub dtype: Dtype,
    /// Its dimensions, as the file orders them.
    pub shape: Vec<u64>,
    /// Its exact size.
    pub bytes: u64,
    /// What it belongs to.
    pub class: Class,
}

impl Tensor {
    /// How many values it has.
    pub fn values(&self) -> u64 {
        // The reader made sure that the product fits.
        self.shape.iter().fold(1, |all: u64, side| all.saturating_mul(*side))
    }
}

/// What the tensors of one class and type take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The class.
    pub class: Class,
    /// The type.
    pub dtype: Dtype,
    /// How many tensors.
    pub tensors: u32,
    /// How many values they have.
    pub values: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// What tensors take by class and type, in the order of classes and then from the largest on.
pub fn breakdown(tensors: &[Tensor]) -> Vec<Share> {
    let mut shares: Vec<Share> = Vec::new();
    for tensor in tensors {
        let (class, dtype) = (tensor.class, tensor.dtype);
        // A few dozen at most.
        let place = shares.iter().position(|share| share.class == class && share.dtype == dtype);
        let place = place.unwrap_or_else(|| {
            shares.push(Share { class, dtype, tensors: 0, values: 0, bytes: 0 });
            shares.len() - 1
        });
        let Some(share) = shares.get_mut(place) else { continue };
        share.tensors += 1;
        share.values = share.values.saturating_add(tensor.values());
        share.bytes = share.bytes.saturating_add(tensor.bytes);
    }
    sorted(shares, |share: &Share| (share.class as u64, !share.bytes))
}

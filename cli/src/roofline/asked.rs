//! What `roofline` is asked about, read from its options.

use memory_wall_core::number::{self, Kilo};
use memory_wall_core::precision::ComputePrecision;
use memory_wall_core::roofline::operations::Kernels;
use memory_wall_core::roofline::{Accounting, Efficiency, Kernel, Work};
use memory_wall_core::tables::gpus::{Gpu, OWN as OWN_GPU};
use memory_wall_core::{Scenario, WeightFormat};

use crate::options::Given;
use crate::request::{Request, is_own};
use crate::text::quote;
use crate::{BadInput, named, runtime, values};

/// The GPU, the subject, and how it is counted.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) gpu: &'static Gpu,
    pub(crate) subject: Subject,
    pub(crate) accounting: Accounting,
    pub(crate) efficiency: Option<Efficiency>,
    pub(crate) json: bool,
    pub(crate) notes: Vec<String>,
}

/// What is held against the roof.
#[derive(Debug)]
pub(crate) enum Subject {
    /// Nothing: the roofs themselves.
    Card,
    /// One operation.
    Operation(ComputePrecision, Work),
    /// The passes of a model.
    Model(Box<Request>, Option<Kernels>),
}

/// Options that describe an operation, of which a model needs none.
const OPERATION: [&str; 3] = ["--flops", "--bytes", "--gemm"];
/// Options that a question about a model takes besides its scenario's.
const OWN: [&str; 8] =
    ["--gpu", "--precision", "--flops", "--bytes", "--gemm", "--accounting", "--efficiency", "--json"];

impl Asked {
    /// Reads the options.
    pub(crate) fn read(given: &Given) -> Result<Self, BadInput> {
        let id = given
            .text("--gpu")
            .ok_or_else(|| BadInput::new("a GPU is missing: roofline needs --gpu ID (memory-wall gpus lists them)"))?;
        let own = is_own(&id);
        let gpu = if own { &OWN_GPU } else { named::gpu("--gpu", &id)? };
        let accounting = values::choice(given, "--accounting", Accounting::ALL, Accounting::id)?;
        let model = given.has("--model") || given.has("--config");
        let named: Vec<&str> = OPERATION.into_iter().filter(|option| given.has(option)).collect();
        let mut notes = Vec::new();
        let subject = match (model, named.first()) {
            (true, Some(option)) => {
                return Err(BadInput(format!("{option} and a model are both given: one of them is looked at")));
            }
            (true, None) => Self::model(given)?,
            (false, _) if own => {
                return Err(BadInput::new(
                    "--gpu own is looked at with a model: roofline needs --model or --config beside it",
                ));
            }
            (false, Some(_)) => {
                let precision = precision(given, gpu)?;
                Subject::Operation(precision, operation(given, precision)?)
            }
            (false, None) => Subject::Card,
        };
        if !model {
            // Options of a scenario have no scenario to change.
            for option in given.names().filter(|name| !OWN.contains(name)) {
                notes.push(format!("{option} has no effect without a model"));
            }
        }
        match &subject {
            Subject::Model(request, _) => {
                // What changes no memory can change time.
                let idle = |note: &&String| {
                    !["--compile ", "--max-num-batched-tokens "].iter().any(|option| note.starts_with(option))
                };
                notes.extend(request.notes.iter().filter(idle).cloned());
                if accounting.is_some() {
                    notes.push(
                        "--accounting has no effect on a model, whose operations count all that crosses to memory"
                            .into(),
                    );
                }
            }
            Subject::Card => {
                for option in ["--accounting", "--efficiency"].into_iter().filter(|option| given.has(option)) {
                    notes.push(format!("{option} has no effect without an operation or a model"));
                }
            }
            Subject::Operation(..) => {
                if accounting.is_some() && !given.has("--gemm") {
                    notes.push("--accounting has no effect on --bytes, which are taken as they are".into());
                }
            }
        }
        let gpu = match &subject {
            Subject::Model(request, _) if own => request.settings().gpu.unwrap_or(gpu),
            _ => gpu,
        };
        Ok(Self {
            gpu,
            subject,
            accounting: accounting.unwrap_or(Accounting::ReadsAndWrites),
            efficiency: efficiency(given)?,
            json: given.has("--json"),
            notes,
        })
    }

    fn model(given: &Given) -> Result<Subject, BadInput> {
        let mut request = Request::read(given, None)?;
        runtime::refuse(&request, "roofline")?;
        if let Some(text) = given.text("--precision") {
            if request.weights_given {
                return Err(BadInput::new(
                    "--precision and --weights are both given: of a model, --weights says it all",
                ));
            }
            let format = match text.to_lowercase().as_str() {
                "tf32" => Some(WeightFormat::Fp32),
                "fp4" => Some(WeightFormat::Nvfp4),
                id => WeightFormat::from_id(id),
            };
            request.use_weights(format.ok_or_else(|| unknown_precision(&text))?);
        }
        let kernels = values::choice(given, "--kernels", Kernels::ALL, Kernels::id)?;
        Ok(Subject::Model(Box::new(request), kernels))
    }
}

impl Asked {
    /// How the small operations of a scenario run.
    pub(crate) fn kernels(&self, scenario: &Scenario) -> Kernels {
        match self.subject {
            Subject::Model(_, Some(kernels)) => kernels,
            _ => Kernels::of(scenario),
        }
    }
}

fn unknown_precision(text: &str) -> BadInput {
    let ids: Vec<&str> = ComputePrecision::EACH.iter().map(|it| it.id()).collect();
    values::not_one_of("--precision", &ids, text)
}

/// The precision that is named, or the GPU's usual one.
fn precision(given: &Given, gpu: &Gpu) -> Result<ComputePrecision, BadInput> {
    let known: Vec<ComputePrecision> =
        ComputePrecision::EACH.into_iter().filter(|precision| gpu.peaks.at(*precision).is_some()).collect();
    let Some(wanted) = values::choice(given, "--precision", &ComputePrecision::EACH, ComputePrecision::id)? else {
        let usual = [ComputePrecision::Bf16, ComputePrecision::Fp16].into_iter().find(|it| known.contains(it));
        return usual
            .or(known.first().copied())
            .ok_or_else(|| BadInput(format!("no peak of {} is published", gpu.name)));
    };
    if known.contains(&wanted) {
        return Ok(wanted);
    }
    let ids: Vec<&str> = known.iter().map(|it| it.id()).collect();
    Err(BadInput(format!(
        "--precision {}: {} has no such units, or no dense peak is published; it has {}",
        wanted.id(),
        gpu.name,
        ids.join(", ")
    )))
}

fn operation(given: &Given, precision: ComputePrecision) -> Result<Work, BadInput> {
    match (given.text("--gemm"), given.text("--flops"), given.text("--bytes")) {
        (Some(_), Some(_), _) | (Some(_), _, Some(_)) => {
            Err(BadInput::new("--gemm says FLOPs and bytes already: it goes without --flops and --bytes"))
        }
        (Some(text), None, None) => gemm(&text, precision),
        (None, Some(flops), Some(bytes)) => {
            let [flops, read] =
                [("--flops", flops), ("--bytes", bytes)].map(|(option, text)| values::quantity(option, &text));
            let (flops, read) = (flops?, read?);
            if read == 0 {
                return Err(BadInput::new("--bytes 0: an operation moves at least one byte"));
            }
            Ok(Work { flops, read, written: 0 })
        }
        (None, Some(_), None) => Err(BadInput::new("--flops needs --bytes beside it: how much the operation moves")),
        _ => Err(BadInput::new("--bytes needs --flops beside it: how much the operation computes")),
    }
}

/// Side of the largest matrix that is asked about.
const LARGEST: u64 = 100_000_000;

fn gemm(text: &str, precision: ComputePrecision) -> Result<Work, BadInput> {
    let parts: Vec<&str> = text.split([',', 'x', '×']).map(str::trim).collect();
    let sizes: Vec<u64> = parts
        .iter()
        .filter_map(|part| number::read(part, Kilo::Binary))
        .filter(|size| (1..=LARGEST).contains(size))
        .collect();
    let ([m, n, k], 3) = (<[u64; 3]>::try_from(sizes.as_slice()).unwrap_or_default(), parts.len().min(sizes.len()))
    else {
        return Err(BadInput(format!(
            "--gemm takes three whole numbers from 1 to {LARGEST} with commas between them, M,N,K, such as 4096,4096,4096, not {}",
            quote(text)
        )));
    };
    let kernel = Kernel::Gemm { m, n, k };
    // Sums are wider than what is multiplied: of 8-bit floats and less they leave in 16 bits, of integers in 32.
    let [wide, byte] = [2, 1].map(|bytes| kernel.work(bytes));
    Ok(match precision {
        ComputePrecision::Fp4 => Work { read: byte.read.div_ceil(2), ..wide },
        ComputePrecision::Fp8 => Work { read: byte.read, ..wide },
        ComputePrecision::Int8 => Work { written: 4 * byte.written, ..byte },
        _ => kernel.work(precision.operand_bytes().unwrap_or(2).into()),
    })
}

/// One share for both, or one for computing and one for bandwidth.
fn efficiency(given: &Given) -> Result<Option<Efficiency>, BadInput> {
    let Some(text) = given.text("--efficiency") else { return Ok(None) };
    let share = |part: &str| {
        let part = part.trim();
        let value = match part.strip_suffix('%') {
            Some(percent) => percent.parse::<f64>().ok().map(|percent| percent / 100.0),
            None => part.parse::<f64>().ok(),
        };
        value.filter(|value| (0.01..=1.0).contains(value))
    };
    let shares: Option<Vec<f64>> = text.split(',').map(share).collect();
    match shares.as_deref() {
        Some([both]) => Ok(Some(Efficiency { compute: *both, bandwidth: *both })),
        Some([compute, bandwidth]) => Ok(Some(Efficiency { compute: *compute, bandwidth: *bandwidth })),
        _ => Err(BadInput(format!(
            "--efficiency takes a share from 0.01 to 1, or two with a comma, of the peak and of the bandwidth, such as 0.5,0.8, not {}",
            quote(&text)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gemm_has_three_sides() {
        let work = gemm("4096,4096,4096", ComputePrecision::Bf16).unwrap();
        assert_eq!((work.flops, work.read + work.written), (2 * 4_096_u128.pow(3), 3 * 2 * 4_096 * 4_096));
        assert_eq!(gemm("4k x 4k x 4k", ComputePrecision::Fp8).unwrap().flops, 2 * 4_096_u128.pow(3));
        for text in ["", "1,2", "1,2,3,4", "0,1,1", "a,b,c", "1,2,-3", "1,2,1000000000"] {
            assert!(gemm(text, ComputePrecision::Bf16).is_err(), "{text}");
        }
    }
}

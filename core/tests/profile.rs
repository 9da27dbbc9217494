//! Pasted profiles: every format that is known, and what a stranger or an accident may paste instead. The samples are made up.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

use memory_wall_core::memory::overhead::CONTEXT_BYTES;
use memory_wall_core::profile::{Found, LONGEST, Paste, Request, Suspect, Tensor, candidates, read, size, suspect};
use memory_wall_core::tables::models;
use memory_wall_core::{Bytes, Mode, Scenario, evaluate};

const MIB: u128 = 1 << 20;
const GIB: u128 = 1 << 30;

const SUMMARY: &str = "\
|===========================================================================|
|                  PyTorch CUDA memory summary, device ID 0                 |
|---------------------------------------------------------------------------|
|            CUDA OOMs: 0            |        cudaMalloc retries: 0         |
|===========================================================================|
|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |
|---------------------------------------------------------------------------|
| Allocated memory      |   9216 MiB |  13312 MiB |    412 GiB |    403 GiB |
|       from large pool |   9200 MiB |  13296 MiB |    410 GiB |    401 GiB |
|---------------------------------------------------------------------------|
| Active memory         |   9216 MiB |  13312 MiB |    412 GiB |    403 GiB |
|---------------------------------------------------------------------------|
| GPU reserved memory   |  14336 MiB |  14336 MiB |  14336 MiB |      0 B   |
|---------------------------------------------------------------------------|
";

const OUT_OF_MEMORY: &str = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.52 GiB \
of which 1.06 GiB is free. Including non-PyTorch memory, this process has 22.44 GiB memory in use. Of the allocated memory \
20.50 GiB is allocated by PyTorch, with 12.00 MiB allocated in private pools (e.g., CUDA Graphs), and 1.25 GiB is reserved by PyTorch but unallocated.";

const DRIVER: &str = "\
|   0  NVIDIA A100-SXM4-80GB          On  | 00000000:07:00.0 Off |                    0 |
| N/A   34C    P0             284W / 400W |      4MiB / 81920MiB |    100%      Default |
|   1  NVIDIA A100-SXM4-80GB          On  | 00000000:0F:00.0 Off |                    0 |
| N/A   41C    P0             301W / 400W |  15012MiB / 81920MiB |    100%      Default |
";

fn sizes(text: &str) -> [Option<u128>; 3] {
    read(text).found.map(|found| found.size().map(|bytes| bytes.0))
}

#[test]
fn every_format_is_read() {
    let dict = "OrderedDict({'active.all.peak': 7, 'allocated_bytes.all.current': 1, 'allocated_bytes.all.peak': 9663676416, 'reserved_bytes.all.peak': 10737418240})";
    let pairs = "OrderedDict([('allocated_bytes.all.peak', 9663676416), ('reserved_bytes.all.peak', 10737418240)])";
    let json = "{\n  \"allocated_bytes.all.peak\": 9663676416,\n  \"reserved_bytes.all.peak\": 10737418240\n}";
    for text in [dict, pairs, json] {
        assert_eq!(sizes(text), [Some(9 * GIB), Some(10 * GIB), None], "{text}");
    }
    assert_eq!(sizes(SUMMARY), [Some(13 * GIB), Some(14 * GIB), None]);
    assert_eq!(
        sizes(&SUMMARY.replace("MiB", " MB")),
        [Some(13 * GIB), Some(14 * GIB), None],
        "as older versions wrote it"
    );
    let [allocated, reserved, used] = sizes(OUT_OF_MEMORY);
    assert_eq!((allocated, reserved), (Some(41 * GIB / 2), Some(87 * GIB / 4)));
    assert_eq!(used, Some(2_244 * GIB / 100));
    assert_eq!(sizes(DRIVER), [None, None, Some(15_012 * MIB)]);
    assert_eq!(sizes(&format!("{SUMMARY}\n{DRIVER}")), [Some(13 * GIB), Some(14 * GIB), Some(15_012 * MIB)]);
}

#[test]
fn the_request_that_failed_is_read_with_its_precision() {
    let asked = |text: &str| read(text).asked.map(|request| (request.bytes.0, request.grain.0));
    assert_eq!(asked(OUT_OF_MEMORY), Some((2 * GIB, GIB / 100)));
    assert_eq!(asked("Tried to allocate 500.00 MiB. GPU 0"), Some((500 * MIB, MIB / 100)));
    // The message of PyTorch up to 2.0.
    let old = "Tried to allocate 1.96 GiB (GPU 0; 23.69 GiB total capacity; 21.50 GiB already allocated; 17.69 MiB free; 22.00 GiB reserved in total by PyTorch)";
    assert_eq!(sizes(old), [Some(43 * GIB / 2), Some(22 * GIB), None]);
    assert_eq!(asked(old), Some((196 * GIB / 100, GIB / 100)));
    for text in ["Tried to allocate", "Tried to allocate nan GiB", "Tried to allocate more", SUMMARY] {
        assert_eq!(asked(text), None, "{text}");
    }
    // A peak that was reached before is not what the request came on top of.
    assert_eq!(sizes(&format!("{SUMMARY}{OUT_OF_MEMORY}"))[0], Some(41 * GIB / 2));
    assert_eq!(asked(&format!("{SUMMARY}Tried to allocate 2.00 GiB. GPU 0")), None);
}

#[test]
fn a_tensor_is_named_by_its_size_as_the_allocator_rounds_it() {
    let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
    (scenario.mode, scenario.batch, scenario.seq_length) = (Mode::Training, 4, 2_048);
    let named = |bytes: u128, grain: u128| {
        let request = Request { bytes: Bytes(bytes), grain: Bytes(grain) };
        candidates(&scenario.check().unwrap(), &request).map(|it| it.tensor).collect::<Vec<_>>()
    };
    // 4 × 2,048 × 4,096 × 2 bytes are 64 MiB; keys are a quarter of them: 16 MiB.
    assert_eq!(named(64 * MIB, MIB / 100), [Tensor::Stream]);
    assert_eq!(named(66 * MIB, MIB / 100), []);
    // Within half of the last digit and no further.
    assert_eq!(named(64 * MIB + MIB / 200, MIB / 100), [Tensor::Stream]);
    assert_eq!(named(64 * MIB + MIB / 50, MIB / 100), []);
    // A block of the allocator may hold anything.
    assert_eq!(named(16 * MIB, MIB / 100), []);
    // 1,023 tokens of 4,096 values in 16 bits are 7.99 MiB, 4,093 tokens 31.98: rounded up to 32.
    scenario.batch = 1;
    scenario.seq_length = 4_093;
    let request = Request { bytes: Bytes(32 * MIB), grain: Bytes(MIB / 100) };
    assert!(candidates(&scenario.check().unwrap(), &request).any(|it| it.tensor == Tensor::Stream));
}

#[test]
fn what_is_no_size_is_said_to_be_none() {
    for number in [
        "nan",
        "-5",
        "inf",
        "1e30",
        "0",
        "99999999999999999999999999999999",
        "0x10",
        "",
        "None",
        "'1'2",
        "2000000000000000",
    ] {
        let paste = read(&format!("{{'allocated_bytes.all.peak': {number}, 'reserved_bytes.all.peak': 8}}"));
        assert_eq!(paste.found[0], Found::Unreadable, "{number}");
        assert_eq!(paste.found[1], Found::Size(Bytes(8)), "the rest is read");
    }
    for text in [
        "allocated_bytes.all.peak",
        "| Allocated memory",
        "| Allocated memory | 1 | nan GiB |",
        " is allocated by PyTorch",
    ] {
        assert_eq!(read(text).found[0], Found::Unreadable, "{text}");
    }
    assert_eq!(read("NaNMiB / 80MiB").found[2], Found::Unreadable);
    assert_eq!(read("this process has many memory").found[2], Found::Unreadable);
    for text in ["", "hello", "<script>alert(1)</script>", "{}", "allocated_bytes.all.current: 5", "\u{202e}\0\u{feff}"]
    {
        assert_eq!(read(text), Paste::default(), "{text}");
    }
}

#[test]
fn megabytes_are_survived_and_read_up_to_a_limit() {
    let pad = "x".repeat(LONGEST);
    let paste = read(&format!("{pad}'allocated_bytes.all.peak': 5"));
    assert_eq!((paste.found[0], paste.cut), (Found::Absent, true));
    let early = read(&format!("'allocated_bytes.all.peak': 5 {pad}"));
    assert_eq!((early.found[0], early.cut), (Found::Size(Bytes(5)), true));
    // Cut within a character of several bytes, and the same words for ever.
    assert!(read(&"é".repeat(LONGEST)).cut);
    for piece in ["MiB /", "1MiB / ", "Allocated memory|", "allocated_bytes.all.peak'", "|", "9"] {
        let _ = read(&piece.repeat(2 * LONGEST / piece.len()));
    }
}

#[test]
fn no_mutation_of_a_sample_panics() {
    let mut random = 7_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(random >> 33).unwrap() % below.max(1)
    };
    let stats = "{'allocated_bytes.all.peak': 9663676416, 'reserved_bytes.all.peak': 10737418240}";
    for round in 0..4_000 {
        let mut bytes = [SUMMARY, OUT_OF_MEMORY, DRIVER, stats][round % 4].as_bytes().to_vec();
        for _ in 0..=next(7) {
            let at = next(bytes.len());
            match next(3) {
                0 => bytes[at] = b"0123456789.|,MiBG\n '-\xff"[next(22)],
                1 => drop(bytes.drain(at..(at + next(40)).min(bytes.len()))),
                _ => bytes.insert(at, b"0|. \n"[next(5)]),
            }
            if bytes.is_empty() {
                break;
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        if let Some(request) = read(&text).asked {
            let shape = models::MODELS[round % models::MODELS.len()].architecture;
            let _ = candidates(&Scenario::new(shape).check().unwrap(), &request).count();
        }
        let _ = size(text.get(..20.min(text.len())).unwrap_or_default(), 1);
    }
}

#[test]
fn sizes_are_read_as_people_write_them() {
    for (text, bytes) in [
        ("14.5 GiB", 29 * GIB / 2),
        ("14.5GiB", 29 * GIB / 2),
        ("80 GB", 80_000_000_000),
        ("24064 KiB", 24_064 << 10),
        ("1,024 MiB", GIB),
        ("1,073,741,824", GIB),
        ("13.5\u{202f}GB", 13_500_000_000),
        ("2 T", 2_000_000_000_000),
        ("512 b", 512),
        ("14.2300000001 GiB", 1_423 * GIB / 100),
        ("0.5 TiB", 512 * GIB),
        ("1,023.99995 TiB", 10_239_999 * (GIB << 10) / 10_000),
    ] {
        assert_eq!(size(text, 1).map(u128::from), Some(bytes), "{text}");
    }
    for text in [
        "",
        "0",
        "-1",
        "+1",
        ".",
        "1.",
        ".5",
        "1..2",
        "1e9",
        "NaN",
        "inf",
        "GiB",
        "1 XB",
        "1 GiBB",
        "1,2",
        "1,23,456",
        ",1",
        "1 2",
        "99999999999999999999999999",
        "2000 TB",
        "１ GiB",
        "1 G\0",
        "1.5.5 GiB",
        "1 GiB 2 GiB",
    ] {
        assert_eq!(size(text, 1), None, "{text}");
    }
    assert_eq!(size(&"9".repeat(500), 1), None);
    assert_eq!(size(&" ".repeat(40), 1), None);
}

#[test]
fn each_suspect_is_found_where_it_alone_differs() {
    for mode in [Mode::Training, Mode::Inference, Mode::Lora] {
        let mut scenario = Scenario::new(models::by_id("llama-3.2-1b").unwrap().architecture);
        (scenario.mode, scenario.batch, scenario.seq_length) = (mode, 4, 4_096);
        let estimate = evaluate::total(&scenario.check().unwrap()) - Bytes(CONTEXT_BYTES.into());
        assert_eq!(suspect(&scenario.check().unwrap(), estimate), None, "the estimate itself needs none");
        for wanted in Suspect::ALL {
            let Some(tensors) = wanted.tensors(&scenario.check().unwrap()) else { continue };
            if let Some((_, explained)) = suspect(&scenario.check().unwrap(), tensors) {
                assert_eq!(explained, tensors, "{mode:?} {wanted:?}");
            }
        }
        assert_eq!(suspect(&scenario.check().unwrap(), Bytes(1 << 49)), None, "nothing explains that much");
        let _ = suspect(&scenario.check().unwrap(), Bytes(1));
    }
}

/// A model whose layers are all mixtures has no dense MLP whose tensor could be named.
#[test]
fn no_dense_tensor_is_named_where_every_layer_is_a_mixture() {
    let mut scenario = Scenario::new(models::by_id("qwen3-30b-a3b").unwrap().architecture);
    (scenario.mode, scenario.batch, scenario.seq_length) = (Mode::Training, 4, 2_048);
    let width = u64::from(scenario.architecture.intermediate_size);
    assert_eq!(4 * 2_048 * width * 2, 96 << 20);
    let request = read("Tried to allocate 96.00 MiB. GPU 0").asked.unwrap();
    let named: Vec<Tensor> = candidates(&scenario.check().unwrap(), &request).map(|it| it.tensor).collect();
    assert!(!named.contains(&Tensor::Mlp) && !named.contains(&Tensor::Matrix), "{named:?}");
}

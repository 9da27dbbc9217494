//! A row of `gpustat`: `[0] NVIDIA H100 80GB HBM3 | 38°C,  53 % | 33321 / 81559 MB | ...`, whose MB are powers of 1,024.

use super::State;
use crate::line::Line;
use crate::name;
use crate::report::{Device, Fact, Value};
use crate::scan::{self, Number};
use crate::size::{Base, Unit};
use crate::what::{Kind, What};

impl State {
    pub(super) fn gpustat(&mut self, line: &Line) {
        let Some(facts) = facts(line) else { return };
        let report = self.report(Kind::Gpustat, false, line.number());
        report.extend(facts);
    }
}

fn facts(line: &Line) -> Option<impl Iterator<Item = Fact>> {
    let text = &line.text;
    let place = |rest: &[u8]| line.place(text.len() - rest.len());
    let gpu = Number::read(scan::unspaced(text).strip_prefix(b"[")?)?;
    let device = Device::Gpu(u16::try_from(gpu.count()?).ok()?);
    let named = gpu.rest.strip_prefix(b"]")?;
    let mut parts = named.split(|byte| *byte == b'|');
    let (name, _, memory) = (parts.next()?, parts.next()?, parts.next()?);
    let used_at = scan::behind(scan::behind(named, "|")?, "|")?;
    let used = Number::read(scan::unspaced(memory))?;
    let total_at = scan::unspaced(used.rest).strip_prefix(b"/")?;
    let total = Number::read(scan::unspaced(total_at))?;
    if !scan::unspaced(total.rest).starts_with(b"MB") {
        return None;
    }
    let bytes = Unit::MIB.bytes(Base::Binary);
    let (used, total) = (used.size(bytes)?, total.size(bytes)?);
    let at = place(scan::unspaced(used_at));
    let name = name::value(What::Gpu, name).map(|value| (place(scan::unspaced(named)), What::Gpu, value));
    let sizes = [(at, What::Used, Value::Size(used)), (at, What::Capacity, Value::Size(total))];
    Some(name.into_iter().chain(sizes).map(move |(place, what, value)| Fact { place, device, what, value }))
}

//! `sacct` of Slurm: a head, a line of dashes below each column, and a row for each job and each of its steps, of which many cells are empty.
//!
//! Read in November 2026: `man sacct` of Slurm 24.05 and PrincetonUniversity/jobstats#57. Its K, M and G are powers of 1,024; of memory that
//! was asked for by the CPU (`4000Mc`) nothing follows without the number of CPUs.

use alloc::vec::Vec;

use super::{Row, offset};
use crate::report::{Device, Value};
use crate::scan::{self, Number};
use crate::size::{Base, Unit};
use crate::what::What;

/// Columns of a table.
const COLUMNS: usize = 64;

/// The columns of the table.
#[derive(Debug)]
pub(crate) struct Account {
    /// What stands in each; nothing where it isn't memory.
    columns: Vec<Option<What>>,
    /// Where each begins and ends, by the line of dashes.
    spans: Vec<(usize, usize)>,
    /// Whether bars stand between them.
    barred: bool,
}

impl Account {
    /// The columns of a head.
    pub(crate) fn of(text: &[u8]) -> Option<Self> {
        let barred = text.contains(&b'|');
        let what = |name: &[u8]| match name {
            b"MaxRSS" => Some(What::HostProcess),
            b"ReqMem" => Some(What::HostLimit),
            _ => None,
        };
        let columns: Vec<_> = cells(text, barred).map(what).take(COLUMNS).collect();
        // "--format=JobID,MaxRSS" is the command, and what a person writes has other words around it.
        let head = scan::has(text, "JobID") && columns.iter().any(Option::is_some) && !scan::has(text, ",");
        head.then(|| Self { columns, spans: Vec::new(), barred })
    }

    /// Takes a row.
    pub(super) fn line(&mut self, text: &[u8], row: Row<'_>) -> bool {
        if text.starts_with(b"--") {
            self.spans = cells(text, false).map(|cell| (offset(text, cell), offset(text, cell) + cell.len())).collect();
            return self.spans.len() == self.columns.len();
        }
        let cells: Vec<&[u8]> = if self.spans.len() == self.columns.len() {
            let cell = |(from, to): &(usize, usize)| text.get(*from..text.len().min(*to)).unwrap_or_default();
            self.spans.iter().map(cell).collect()
        } else {
            cells(text, self.barred).take(COLUMNS).collect()
        };
        if cells.len() != self.columns.len() {
            return false;
        }
        let mut said = false;
        for (cell, what) in cells.iter().zip(&self.columns) {
            let (cell, Some(what)) = (cell.trim_ascii(), what) else { continue };
            let Some(number) = Number::read(cell) else { continue };
            // "64Gn" is by the node, as all is without a letter.
            let letters = number.rest.strip_suffix(b"n").unwrap_or(number.rest);
            let Some((unit, [])) = Unit::read(letters) else { continue };
            if let Some(size) = number.size(unit.bytes(Base::Binary)).filter(|size| size.bytes > 0) {
                row(Device::Unsaid, *what, Value::Size(size), offset(text, cell));
                said = true;
            }
        }
        said
    }
}

/// The cells of a line, between bars or between spaces.
fn cells(text: &[u8], barred: bool) -> impl Iterator<Item = &[u8]> {
    let between = move |byte: &u8| if barred { *byte == b'|' } else { byte.is_ascii_whitespace() };
    text.split(between).map(<[u8]>::trim_ascii).filter(move |cell| barred || !cell.is_empty())
}

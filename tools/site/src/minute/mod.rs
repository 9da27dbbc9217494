//! The script of the minute of a server, with the program of the figure inside it: one file that any page can load, also one that may
//! fetch nothing.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use memory_wall_app::figures::minute::servers::{self, LOAD, PAGE, Server};
use memory_wall_app::figures::minute::stops::{Places, SHARES, STOPS};

use crate::page::put;
use crate::program::{packed, taken};
use crate::wording::Words;
use crate::{read, script, style, write};

/// What Trunk calls the files of the program.
const STAGED: &str = "memory-wall-minute";

/// The figure.
pub(crate) const FIGURE: &str = "minute";

/// The file of the script.
pub(crate) struct File {
    /// Its name.
    pub(crate) name: String,
    digest: String,
}

impl File {
    /// The tag that has the tutorial ask for it when the reader comes near the figure.
    pub(crate) fn tag(&self) -> String {
        script::near("figure-minute", &self.name, &self.digest, "")
    }
}

/// Takes the program that Trunk staged, and writes the script.
pub(crate) fn staged(root: &Path, staging: &Path) -> Result<File, String> {
    let (glue, wasm) = taken(staging, STAGED)?;
    let packed = packed(&wasm).map_err(|error| format!("the program of the minute cannot be packed: {error}"))?;
    let mut own = read(&root.join("tools/site/src/minute/minute.js"))?;
    let all = servers::all().map(|server| said(&server).ok_or("a server of the minute does not start"));
    let all = all.collect::<Result<Vec<_>, _>>()?;
    put(&mut own, "{{words}}", &Words::read("minute.txt")?.json())?;
    put(&mut own, "{{servers}}", &format!("[{}]", all.join(", ")))?;
    let stops = STOPS.map(|(lever, stops)| format!("{lever}: {stops:?}")).join(", ");
    put(&mut own, "{{first}}", &format!("{:?}", Places::START.text()))?;
    put(&mut own, "{{stops}}", &stops)?;
    put(&mut own, "{{own}}", servers::OWN)?;
    put(&mut own, "{{sentence}}", &format!("{:?}", servers::sentence()))?;
    let packed = STANDARD.encode(packed);
    let whole = format!("(() => {{\n'use strict';\n{glue}\nconst packed = '{packed}';\n{own}}})();\n");
    let whole = script::without_comments(&whole);
    let (name, digest) = style::named(FIGURE, &whole, "js");
    write(&staging.join(&name), &whole)?;
    Ok(File { name, digest })
}

/// What the script is told of a server.
fn said(server: &Server) -> Option<String> {
    let settings = server.settings(&LOAD, PAGE, server.usual())?;
    let pools = SHARES.iter().map(|share| Some(format!("{share}: {}", server.pool(*share)?)));
    let pools = pools.collect::<Option<Vec<_>>>()?.join(", ");
    let costs = settings.costs.numbers().map(|cost| cost.to_string()).join(", ");
    Some(format!(
        "{{ link: {:?}, title: {:?}, context: {}, costs: [{costs}], pools: {{ {pools} }}, limits: [{}, {}] }}",
        server.link(),
        server.title(),
        server.context()?,
        settings.max_num_seqs,
        settings.max_num_batched_tokens
    ))
}

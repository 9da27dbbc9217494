//! The colours: seen on their ground, told apart by everyone, and named in one place.
//!
//! Contrast is that of WCAG 2.2, distance that of CIE 1976 (L*a*b*, D65). How colours look without one kind of cone is
//! computed with the matrices of Machado, Oliveira and Fernandes 2009, "A Physiologically-based Model for Simulation of
//! Color Vision Deficiency", severity 1.0, applied to linear sRGB.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use memory_wall_core::Bucket;
use palette::color_difference::{EuclideanDistance, Wcag21RelativeContrast};
use palette::{Clamp, FromColor, Lab, LinSrgb, Srgb};

type Matrix = [[f64; 3]; 3];

const NORMAL: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const PROTANOPE: Matrix =
    [[0.152_286, 1.052_583, -0.204_868], [0.114_503, 0.786_281, 0.099_216], [-0.003_882, -0.048_116, 1.051_998]];
const DEUTERANOPE: Matrix =
    [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]];
const EYES: [(&str, Matrix); 3] = [("normal", NORMAL), ("protanope", PROTANOPE), ("deuteranope", DEUTERANOPE)];

/// The style sheets, without comments, by name.
fn sheets() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = |folder: &str| fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let figures = entries("src/figures").map(|folder| folder.join("style.css")).filter(|path| path.exists());
    let sheets: BTreeMap<String, String> = entries("style")
        .chain(figures)
        .map(|path| {
            let css = fs::read_to_string(&path).unwrap();
            let mut parts = css.split("/*");
            let first = parts.next().unwrap_or_default().to_owned();
            let text = parts.fold(first, |text, part| text + part.split_once("*/").unwrap().1);
            (path.strip_prefix(root).unwrap().to_string_lossy().trim_start_matches("style/").to_owned(), text)
        })
        .collect();
    assert!(sheets.len() >= 6);
    sheets
}

/// Properties and values of a piece of a style sheet.
fn declarations(css: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts = css.split(['{', '}', ';']).filter_map(|part| part.split_once(':'));
    let parts = parts.map(|(name, value)| (name.trim(), value.trim().trim_end_matches("!important").trim_end()));
    // A selector may begin with a colon.
    parts.filter(|(name, _)| !name.is_empty())
}

/// The tokens of a theme, by name without its hyphens.
struct Theme {
    name: &'static str,
    tokens: BTreeMap<String, String>,
}

/// Light, dark, and light on paper.
fn themes() -> [Theme; 3] {
    const DARK: &str = "@media (prefers-color-scheme: dark) {";
    let sheets = sheets();
    let (light, behind) = sheets["tokens.css"].split_once(DARK).unwrap();
    let (dark, _) = behind.split_once("@media").unwrap_or((behind, ""));
    let tokens = |css: &str| {
        let own =
            declarations(css).filter_map(|(name, value)| Some((name.strip_prefix("--")?.to_owned(), value.to_owned())));
        own.collect::<BTreeMap<_, _>>()
    };
    let light = tokens(light);
    let with = |own: BTreeMap<String, String>| light.clone().into_iter().chain(own).collect();
    [
        Theme { name: "dark", tokens: with(tokens(dark)) },
        Theme { name: "print", tokens: with(tokens(&sheets["print.css"])) },
        Theme { name: "light", tokens: light },
    ]
}

impl Theme {
    /// A token's colour, in linear light.
    fn colour(&self, name: &str) -> LinSrgb<f64> {
        let value = self.tokens.get(name).unwrap_or_else(|| panic!("{}: there is no --{name}", self.name));
        if let Some(other) = value.strip_prefix("var(--").and_then(|rest| rest.strip_suffix(')')) {
            return self.colour(other);
        }
        assert!(value.starts_with('#') && value.len() == 7, "--{name}: {value}");
        value.parse::<Srgb<u8>>().unwrap_or_else(|error| panic!("--{name}: {value}: {error}")).into_linear()
    }

    /// The contrast of two tokens, from 1 to 21.
    fn contrast(&self, one: &str, other: &str) -> f64 {
        self.colour(one).relative_contrast(self.colour(other))
    }
}

/// A colour as an eye sees it.
fn seen(eye: &Matrix, colour: LinSrgb<f64>) -> Lab<palette::white_point::D65, f64> {
    let [red, green, blue] = eye.map(|[r, g, b]| r * colour.red + g * colour.green + b * colour.blue);
    Lab::from_color(LinSrgb::new(red, green, blue).clamp())
}

/// How far two colours are apart for an eye.
fn distance(eye: &Matrix, one: LinSrgb<f64>, other: LinSrgb<f64>) -> f64 {
    seen(eye, one).distance(seen(eye, other))
}

#[test]
fn the_measures_are_right() {
    let theme = |tokens: &[(&str, &str)]| Theme {
        name: "made up",
        tokens: tokens.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
    };
    let made_up = theme(&[
        ("black", "#000000"),
        ("white", "#FFFFFF"),
        ("grey", "#777777"),
        ("red", "#FF0000"),
        ("same", "var(--red)"),
    ]);
    assert!((made_up.contrast("black", "white") - 21.0).abs() < 1e-9);
    assert!((made_up.contrast("grey", "white") - 4.478).abs() < 0.001);
    let red = seen(&NORMAL, made_up.colour("same"));
    for (is, should) in [red.l, red.a, red.b].into_iter().zip([53.24, 80.09, 67.20]) {
        assert!((is - should).abs() < 0.02, "{red:?}");
    }
    // White stays white for every eye: the rows of each matrix add up to one.
    let white = LinSrgb::new(1.0, 1.0, 1.0);
    for (name, eye) in EYES {
        assert!(seen(&eye, white).distance(seen(&NORMAL, white)) < 0.001, "{name}");
        assert!(eye.iter().all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-5), "{name}");
    }
}

#[test]
fn buckets_stand_out_from_the_paper() {
    for theme in themes() {
        for bucket in Bucket::EACH {
            let contrast = theme.contrast(bucket.id(), "paper");
            assert!(contrast >= 3.0, "{}: --{} on paper has {contrast:.2}", theme.name, bucket.id());
        }
    }
}

#[test]
fn text_can_be_read() {
    for theme in themes() {
        for (text, ground) in [
            ("ink", "paper"),
            ("ink", "raised"),
            ("quiet", "paper"),
            ("quiet", "raised"),
            ("paper", "ink"),
            ("on-warm", "kv_cache"),
            ("on-warm", "warm"),
            // These are names in drawings too, small and bold.
            ("warm", "paper"),
            ("kv_cache", "paper"),
            ("weights", "paper"),
        ] {
            let contrast = theme.contrast(text, ground);
            assert!(contrast >= 4.5, "{}: --{text} on --{ground} has {contrast:.2}", theme.name);
        }
    }
}

#[test]
fn buckets_are_told_apart_by_everyone() {
    let mut faults = Vec::new();
    for theme in themes() {
        for (name, eye) in EYES {
            for (place, one) in Bucket::EACH.into_iter().enumerate() {
                for other in Bucket::EACH.into_iter().skip(place + 1) {
                    let apart = distance(&eye, theme.colour(one.id()), theme.colour(other.id()));
                    if apart < 10.0 {
                        faults.push(format!(
                            "{}, {name}: {} and {} are {apart:.1} apart",
                            theme.name,
                            one.id(),
                            other.id()
                        ));
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_warm_colour_is_the_caches_own() {
    for theme in themes() {
        assert_eq!(theme.tokens["warm"], "var(--kv_cache)");
        // Warm: more red than green, more green than blue, and nothing else is.
        let warmth = |name: &str| {
            let seen = seen(&NORMAL, theme.colour(name));
            seen.a.min(seen.b)
        };
        for bucket in Bucket::EACH.into_iter().filter(|bucket| *bucket != Bucket::KvCache) {
            assert!(warmth("kv_cache") > 30.0 && warmth(bucket.id()) < 20.0, "{}: {}", theme.name, bucket.id());
        }
    }
}

/// What colours are given to, and what may stand there beside `var(…)`.
const COLOURED: [&str; 10] = [
    "background",
    "border",
    "box-shadow",
    "caret-color",
    "color",
    "accent-color",
    "fill",
    "outline",
    "stroke",
    "text-decoration-color",
];
const PLAIN: [&str; 15] = [
    "inset",
    "center",
    "currentcolor",
    "dashed",
    "dotted",
    "inherit",
    "left",
    "linear-gradient",
    "no-repeat",
    "none",
    "right",
    "solid",
    "top",
    "transparent",
    "calc",
];

/// What in a value is neither a length nor a word without a colour.
fn colours_in(value: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut parts = value.split("var(");
    let first = parts.next().unwrap_or_default();
    let behind = parts.map(|part| part.split_once(')').map_or("", |(_, behind)| behind));
    for part in std::iter::once(first).chain(behind) {
        words.extend(part.split([' ', ',', '(', ')', '/', '\n']).filter(|word| {
            let number = word.trim_start_matches(['-', '.']).starts_with(|c: char| c.is_ascii_digit());
            !word.is_empty() && *word != "-" && !number && !PLAIN.contains(word)
        }));
    }
    words
}

#[test]
fn colours_are_named_in_one_place() {
    for (file, css) in sheets().into_iter().filter(|(file, _)| file != "tokens.css") {
        for (property, value) in declarations(&css) {
            let place = format!("{file}: {property}: {value}");
            if file == "print.css" && property.starts_with("--") && !value.starts_with(|c: char| c.is_ascii_digit()) {
                // On paper there is black, white and what lies between.
                let hex = value.strip_prefix('#').unwrap_or_else(|| panic!("{place}"));
                assert!(hex.len() == 6 && hex[..2] == hex[2..4] && hex[..2] == hex[4..], "{place}");
                continue;
            }
            for function in ["rgb", "hsl", "hwb", "lab(", "lch(", "color(", "color-mix("] {
                assert!(!value.contains(function), "{place}");
            }
            let coloured = |name: &&str| property == *name || property.starts_with(&format!("{name}-"));
            let sized = [
                "-width",
                "-attachment",
                "-radius",
                "-style",
                "-offset",
                "-linejoin",
                "-linecap",
                "-opacity",
                "-dasharray",
                "-collapse",
                "-spacing",
            ];
            // The reader's own background is no colour of ours.
            let own = value.trim() == "Canvas";
            if !own && COLOURED.iter().any(coloured) && !sized.iter().any(|end| property.ends_with(end)) {
                assert_eq!(colours_in(value), Vec::<&str>::new(), "{place}");
            }
            assert!(!value.contains('#') || value.contains("url(#"), "{place}");
        }
    }
    assert_eq!(colours_in("1px solid red"), ["red"]);
    assert_eq!(colours_in("0 0 0 2px var(--ink), #fff"), ["#fff"]);
    assert_eq!(
        colours_in("linear-gradient(45deg, transparent 50%, var(--ink) 50%) right 0.85rem center / 0.4rem no-repeat"),
        Vec::<&str>::new()
    );
}

#[test]
fn every_token_is_defined_and_used() {
    let sheets = sheets();
    // Set by a view and by the script of the slides, not by a style sheet.
    let mut defined = BTreeSet::from(["at", "fit"]);
    let mut used = BTreeSet::new();
    for css in sheets.values() {
        defined.extend(declarations(css).filter_map(|(name, _)| name.strip_prefix("--")));
        used.extend(css.split("var(--").skip(1).map(|rest| rest.split([')', ',']).next().unwrap_or_default()));
    }
    let missing: Vec<_> = used.difference(&defined).collect();
    let left: Vec<_> = defined.difference(&used).collect();
    assert!(missing.is_empty(), "not defined: {missing:?}");
    assert!(left.is_empty(), "not used: {left:?}");
}

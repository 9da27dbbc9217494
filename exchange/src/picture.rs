//! The plans side by side as a picture: walls with their lines, verdicts, a legend, and the table of figures, as SVG.
//!
//! The planner hands over lines of fields separated by tabs, with all words and numbers. The colours are those of the page's style sheet.

use std::fmt::{self, Write as _};

/// Where the page's colours stand.
const TOKENS: &str = include_str!("../../style/tokens.css");
/// Room around everything.
const MARGIN: f64 = 24.0;
/// Width of the names of rows.
const LABELS: f64 = 210.0;
/// Width of a plan, and the room behind it.
const COLUMN: f64 = 210.0;
const GAP: f64 = 18.0;
/// Height of the walls.
const WALL: f64 = 320.0;
/// Sizes of text, and how far its lines are apart.
const TITLE: f64 = 20.0;
const NAME: f64 = 15.0;
const SMALL: f64 = 12.0;
const LEADING: f64 = 1.35;
/// Width of a letter as a share of its size, on the safe side of common typefaces.
const LETTER: f64 = 0.58;
/// What the typeface is, in the order of the page.
const SANS: &str =
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Liberation Sans', Arial, sans-serif";

/// A theme of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// The theme with this name; light where it has none.
    pub fn named(name: &str) -> Self {
        if name == "dark" { Self::Dark } else { Self::Light }
    }

    /// A colour of the style sheet by its role: light stands first there, and dark second.
    fn colour(self, role: &str) -> &'static str {
        let mut found =
            TOKENS.split("--").filter_map(|rest| rest.strip_prefix(role)?.strip_prefix(": ")?.split(';').next());
        let light = found.next().unwrap_or_default();
        match self {
            Self::Light => light,
            Self::Dark => found.next().filter(|colour| colour.starts_with('#')).unwrap_or(light),
        }
    }
}

/// A part of a wall: its kind, and its upper edge and height as shares of the wall.
struct Part<'a> {
    kind: &'a str,
    top: f64,
    height: f64,
}

/// A plan.
#[derive(Default)]
struct Plan<'a> {
    name: &'a str,
    verdict: &'a str,
    why: &'a str,
    over: bool,
    capacity: Option<(f64, &'a str)>,
    limit: Option<f64>,
    parts: Vec<Part<'a>>,
}

/// A kind of part: its name, and its pattern as width, height and path.
struct Kind<'a> {
    id: &'a str,
    name: &'a str,
    pattern: [&'a str; 3],
}

/// All that is drawn.
#[derive(Default)]
struct Said<'a> {
    title: &'a str,
    about: &'a str,
    kinds: Vec<Kind<'a>>,
    plans: Vec<Plan<'a>>,
    rows: Vec<(&'a str, Vec<&'a str>)>,
}

impl<'a> Said<'a> {
    /// Reads what the planner says; what is no line of it is left out.
    fn read(text: &'a str) -> Self {
        let mut said = Self::default();
        for line in text.lines() {
            let mut words = line.split('\t');
            let what = words.next().unwrap_or_default();
            let words: Vec<&str> = words.collect();
            match (what, words.as_slice(), said.plans.last_mut()) {
                ("title", [title, about], _) => (said.title, said.about) = (title, about),
                ("kind", [id, name, width, height, path], _) => {
                    said.kinds.push(Kind { id, name, pattern: [width, height, path] });
                }
                ("plan", [name, verdict, why], _) => said.plans.push(Plan { name, verdict, why, ..Plan::default() }),
                ("over", _, Some(plan)) => plan.over = true,
                ("capacity", [at, label], Some(plan)) => plan.capacity = share(at).map(|at| (at, *label)),
                ("limit", [at], Some(plan)) => plan.limit = share(at),
                ("part", [kind, top, height], Some(plan)) => {
                    plan.parts.extend(share(top).zip(share(height)).map(|(top, height)| Part { kind, top, height }));
                }
                ("row", [name, values @ ..], _) => said.rows.push((name, values.to_vec())),
                _ => {}
            }
        }
        said
    }
}

/// A share of a wall, as a percentage with up to two digits behind the point: `12.5%`.
fn share(text: &str) -> Option<f64> {
    let text = text.strip_suffix('%')?;
    let (whole, behind) = text.split_once('.').unwrap_or((text, "0"));
    let digits = format!("{behind:0<2}");
    let hundredths = whole.parse::<u32>().ok()?.checked_mul(100)?.checked_add(digits.get(..2)?.parse().ok()?)?;
    Some(f64::from(hundredths) / 1e4).filter(|share| *share <= 1.0)
}

/// A number in half pixels, so that edges are sharp. Printing fractions takes 6 kB of a program.
struct Pixels(f64);

impl fmt::Display for Pixels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let halves = halves(self.0);
        write!(f, "{}{}", halves / 2, if halves.is_multiple_of(2) { "" } else { ".5" })
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place in a drawing, which is small and positive"
)]
fn halves(value: f64) -> u32 {
    (value * 2.0 + 0.5) as u32
}

/// A drawing that is being written.
struct Svg {
    text: String,
    theme: Theme,
}

impl Svg {
    /// A text at a place, in a colour by its role.
    fn words(&mut self, place: [f64; 2], size: f64, role: &str, more: &str, text: &str) {
        let ([x, y], size) = (place.map(Pixels), Pixels(size));
        let fill = self.theme.colour(role);
        let text = escaped(text);
        // Writing into a string does not fail.
        let _ = write!(self.text, "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{fill}\"{more}>{text}</text>");
    }

    /// The same in lines below each other; the height that they take.
    fn lines(&mut self, [x, y]: [f64; 2], size: f64, role: &str, more: &str, lines: &[String]) -> f64 {
        let mut height = 0.0;
        for line in lines {
            height += round(size * LEADING);
            self.words([x, y + height], size, role, more, line);
        }
        height
    }

    fn rect(&mut self, place: [f64; 4], fill: &str, more: &str) {
        let [x, y, width, height] = place.map(Pixels);
        let _ = write!(
            self.text,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\"{more}/>"
        );
    }

    fn line(&mut self, ends: [f64; 2], y: f64, role: &str, more: &str) {
        let ([x1, x2], y) = (ends.map(Pixels), Pixels(y));
        let stroke = self.theme.colour(role);
        let _ = write!(self.text, "<line x1=\"{x1}\" x2=\"{x2}\" y1=\"{y}\" y2=\"{y}\" stroke=\"{stroke}\"{more}/>");
    }

    /// A part in its colour, under its pattern.
    fn part(&mut self, place: [f64; 4], kind: &str) {
        let (ground, paper) = (self.theme.colour(kind), self.theme.colour("paper"));
        self.rect(place, ground, &format!(" stroke=\"{paper}\""));
        self.rect(place, &format!("url(#{kind})"), "");
    }
}

/// The picture as SVG.
///
/// # Example
/// ```
/// use memory_wall_exchange::picture::{Theme, svg};
/// let said = "title\tPlans\ttwo walls\nkind\tweights\tWeights\t24\t24\t\nplan\tbf16\tIt fits\tThere is room.\npart\tweights\t50%\t50%";
/// let drawn = svg(said, Theme::Light);
/// assert!(drawn.starts_with("<svg ") && drawn.contains("<title id=\"title\">Plans</title>") && drawn.contains("There is room."));
/// ```
pub fn svg(said: &str, theme: Theme) -> String {
    let said = Said::read(said);
    let mut svg = Svg { text: String::new(), theme };
    let left = |place: usize| MARGIN + LABELS + GAP + place as f64 * (COLUMN + GAP);
    let width = left(said.plans.len()) - GAP + MARGIN;
    let mut y = MARGIN;
    y += svg.lines([MARGIN, y], TITLE, "ink", BOLD, &wrapped(said.title, width - 2.0 * MARGIN, TITLE));
    y += GAP;
    let heads = said.plans.iter().enumerate().map(|(place, plan)| head(&mut svg, [left(place), y], plan));
    y += heads.fold(0.0, f64::max) + GAP;
    for (place, plan) in said.plans.iter().enumerate() {
        wall(&mut svg, [left(place), y], plan);
    }
    legend(&mut svg, y + WALL, &said);
    y += WALL;
    svg.line([MARGIN, width - MARGIN], y, "ink", "");
    for (name, values) in &said.rows {
        y += row(&mut svg, y + 5.0, name, values, &left) + 10.0;
        svg.line([MARGIN, width - MARGIN], y, "hairline", "");
    }
    framed(&said, &svg, [width, y + MARGIN])
}

/// Bold text.
const BOLD: &str = " font-weight=\"600\"";

/// The root with everything in it.
fn framed(said: &Said<'_>, svg: &Svg, size: [f64; 2]) -> String {
    let [width, height] = size.map(Pixels);
    let paper = svg.theme.colour("paper");
    let patterns = said.kinds.iter().fold(String::new(), |mut all, kind| {
        let [width, height, path] = kind.pattern.map(escaped);
        let id = escaped(kind.id);
        let _ = write!(
            all,
            "<pattern id=\"{id}\" width=\"{width}\" height=\"{height}\" patternUnits=\"userSpaceOnUse\">\
             <path d=\"{path}\" fill=\"none\" stroke=\"{paper}\" stroke-opacity=\"0.55\"/></pattern>"
        );
        all
    });
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-labelledby=\"title desc\" font-family=\"{SANS}\"><title id=\"title\">{}</title><desc id=\"desc\">{}</desc>\
         <defs>{patterns}</defs><rect width=\"{width}\" height=\"{height}\" fill=\"{paper}\"/>{}</svg>\n",
        escaped(said.title),
        escaped(said.about),
        svg.text
    )
}

/// Name and verdict of a plan; their height.
fn head(svg: &mut Svg, [x, y]: [f64; 2], plan: &Plan<'_>) -> f64 {
    let mut height = svg.lines([x, y], NAME, "ink", BOLD, &wrapped(plan.name, COLUMN, NAME));
    height += 4.0 + svg.lines([x, y + height + 4.0], SMALL, "ink", BOLD, &wrapped(plan.verdict, COLUMN, SMALL));
    height + svg.lines([x, y + height], SMALL, "quiet", "", &wrapped(plan.why, COLUMN, SMALL))
}

/// The wall of a plan with its lines.
fn wall(svg: &mut Svg, [x, y]: [f64; 2], plan: &Plan<'_>) {
    let at = |share: f64| round(y + share * WALL);
    for part in plan.parts.iter().filter(|part| part.height > 0.0) {
        let top = at(part.top);
        let height = (at(part.top + part.height) - top).max(1.0);
        svg.part([round(x + COLUMN * 0.18), top, round(COLUMN * 0.64), height], part.kind);
    }
    let role = if plan.over { "kv_cache" } else { "ink" };
    if let Some(limit) = plan.limit {
        svg.line([round(x + COLUMN * 0.12), round(x + COLUMN * 0.88)], at(limit), role, " stroke-dasharray=\"5 4\"");
    }
    if let Some((line, label)) = plan.capacity {
        svg.line([x, x + COLUMN], at(line), role, " stroke-width=\"2\"");
        // It may stand before the wall.
        let paper = svg.theme.colour("paper");
        let halo = format!(" text-anchor=\"middle\" stroke=\"{paper}\" stroke-width=\"4\" paint-order=\"stroke\"");
        svg.words([x + COLUMN / 2.0, at(line) - 6.0], SMALL, "ink", &halo, label);
    }
}

/// What the parts are, beside the foot of the walls.
fn legend(svg: &mut Svg, foot: f64, said: &Said<'_>) {
    let there = |kind: &&Kind<'_>| {
        said.plans.iter().any(|plan| plan.parts.iter().any(|part| part.kind == kind.id && part.height > 0.0))
    };
    for (place, kind) in said.kinds.iter().filter(there).enumerate() {
        let y = foot - 24.0 - place as f64 * 24.0;
        svg.part([MARGIN, y, 16.0, 16.0], kind.id);
        svg.words([MARGIN + 24.0, y + SMALL], SMALL, "ink", "", kind.name);
    }
}

/// A row of the table; its height.
fn row(svg: &mut Svg, y: f64, name: &str, values: &[&str], left: &impl Fn(usize) -> f64) -> f64 {
    let name = svg.lines([MARGIN, y], SMALL, "quiet", "", &wrapped(name, LABELS, SMALL));
    let cells = values.iter().enumerate();
    cells
        .map(|(place, value)| svg.lines([left(place), y], SMALL, "ink", "", &wrapped(value, COLUMN, SMALL)))
        .fold(name, f64::max)
}

/// A text in lines of a width; a word that is longer is broken.
fn wrapped(text: &str, width: f64, size: f64) -> Vec<String> {
    let letters = |text: &str| text.chars().count() as f64 * size * LETTER;
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let mut rest: Vec<char> = word.chars().collect();
        while !rest.is_empty() {
            let line = lines.last().map(String::as_str).unwrap_or_default();
            let begun = if line.is_empty() { String::new() } else { format!("{line} ") };
            let whole: String = rest.iter().collect();
            if letters(&begun) + letters(&whole) <= width {
                if let Some(line) = lines.last_mut() {
                    *line = begun + &whole;
                }
                rest.clear();
            } else if begun.is_empty() {
                let fits = rest.iter().scan(0.0, |used, _| {
                    *used += size * LETTER;
                    Some(*used <= width)
                });
                let most = fits.take_while(|fits| *fits).count().max(1).min(rest.len());
                let behind = rest.split_off(most);
                if let Some(line) = lines.last_mut() {
                    *line = rest.iter().collect();
                }
                rest = behind;
                lines.push(String::new());
            } else {
                lines.push(String::new());
            }
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

/// The nearest half pixel.
fn round(value: f64) -> f64 {
    f64::from(halves(value)) / 2.0
}

/// Text as XML has it; what is not to be seen is left out.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars().filter(|letter| !letter.is_control()) {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "title\tPlans side by side\tbf16: it is 20 GB too much.\n\
        kind\tweights\tWeights\t24\t24\t\nkind\tkv_cache\tKV cache\t26\t14\tM0 .5H26\nkind\tlogits\tLogits\t8\t6\tM0 3H8\n\
        plan\t<b>& \"quotes\"\tIt does not fit\tIt is 20 GB too much for each GPU, which is a long sentence.\nover\ncapacity\t40%\t85.0 GB\nlimit\t45.25%\n\
        part\tweights\t50%\t50%\npart\tkv_cache\t20%\t30%\npart\tlogits\t20%\t0%\n\
        plan\tfp8\tIt fits\tThere is room.\npart\tweights\t75%\t25%\n\
        row\tTime per further token (TPOT)\t31.5 ms to 89.9 ms\t18 ms";

    #[test]
    fn everything_that_is_said_is_drawn() {
        let drawn = svg(SAID, Theme::Light);
        for text in [
            "&lt;b&gt;&amp; &quot;quotes&quot;",
            "It does not fit",
            "85.0 GB",
            "31.5 ms to 89.9 ms",
            ">KV cache<",
            "bf16: it is 20 GB too much.",
        ] {
            assert!(drawn.contains(text), "{text}: {drawn}");
        }
        // What takes nothing has no place in the legend.
        assert!(!drawn.contains(">Logits<") && !drawn.contains("<b>"));
        assert_eq!(drawn.matches("url(#weights)").count(), 3, "two walls and the legend");
        assert_eq!(drawn.matches("stroke-dasharray").count(), 1);
        for trace in ["NaN", "href", "<script", "style="] {
            assert!(!drawn.contains(trace), "{trace}");
        }
    }

    #[test]
    fn colours_are_those_of_the_style_sheet() {
        let [light, dark] = [Theme::Light, Theme::Dark].map(|theme| svg(SAID, theme));
        for role in ["paper", "ink", "quiet", "hairline", "weights", "kv_cache"] {
            let [day, night] = [Theme::Light, Theme::Dark].map(|theme| theme.colour(role));
            assert!(day.starts_with('#') && night.starts_with('#') && day != night, "{role} {day} {night}");
            assert!(light.contains(day) && !light.contains(night), "{role}");
            assert!(dark.contains(night), "{role}");
        }
        assert_eq!(Theme::named("dark"), Theme::Dark);
    }

    #[test]
    fn numbers_are_read_and_written_without_fractions() {
        for (text, value) in [
            ("12.5%", Some(0.125)),
            ("7%", Some(0.07)),
            ("99.99%", Some(0.9999)),
            ("0.05%", Some(0.0005)),
            ("101%", None),
            ("", None),
            ("-1%", None),
            ("1.ä%", None),
        ] {
            assert_eq!(share(text), value, "{text}");
        }
        for (value, text) in [(12.0, "12"), (12.26, "12.5"), (0.2, "0"), (99.8, "100")] {
            assert_eq!(Pixels(value).to_string(), text);
        }
    }

    #[test]
    fn lines_are_no_wider_than_their_place() {
        let long = format!("short {} end", "w".repeat(100));
        for line in wrapped(&long, COLUMN, SMALL) {
            assert!(line.chars().count() as f64 * SMALL * LETTER <= COLUMN, "{line}");
        }
        assert_eq!(wrapped(&long, COLUMN, SMALL).concat().replace(' ', "").len(), 108);
        assert!(wrapped("", COLUMN, SMALL).is_empty());
    }

    #[test]
    fn what_is_no_line_of_it_is_left_out() {
        let drawn = svg(
            "part\tweights\t0%\t100%\nplan\tone\tnone\t\npart\tweights\t700%\t1%\ncapacity\tx\ty\n\u{0}",
            Theme::Dark,
        );
        assert!(drawn.contains(">one<") && !drawn.contains("url(#weights)"));
        // Nothing at all is still a picture.
        assert!(svg("", Theme::Light).starts_with("<svg "));
    }
}

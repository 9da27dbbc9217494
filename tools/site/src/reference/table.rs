//! A table that can be sorted and searched once its script runs, and is whole without it.

use std::fmt::Write as _;

use crate::wording::Words;

/// What a cell shows, and by what it is sorted.
#[derive(Default)]
pub(crate) struct Cell {
    html: String,
    /// The number behind a text such as `85.2 GB`.
    value: Option<f64>,
    /// Whether it stands to the right and sorts as a number.
    numeric: bool,
}

impl Cell {
    /// Words.
    pub(crate) fn text(html: impl Into<String>) -> Self {
        Self { html: html.into(), ..Self::default() }
    }

    /// A number as it is written, and what it is.
    pub(crate) fn number(html: impl Into<String>, value: f64) -> Self {
        Self { html: html.into(), value: Some(value), numeric: true }
    }

    /// A number that there may not be.
    pub(crate) fn maybe(number: Option<(String, f64)>) -> Self {
        number.map_or_else(
            || Self { html: "–".into(), value: None, numeric: true },
            |(html, value)| Self::number(html, value),
        )
    }
}

/// A row: its anchor, what it is chosen by, and its cells, of which the first names it.
pub(crate) struct Row {
    /// The anchor.
    pub(crate) id: String,
    /// What choices above the table compare, by name.
    pub(crate) chosen_by: Vec<(&'static str, String)>,
    /// The cells.
    pub(crate) cells: Vec<Cell>,
}

/// A choice above the table.
pub(crate) struct Choice {
    /// What of a row it compares.
    pub(crate) by: &'static str,
    /// Values and how they are named.
    pub(crate) options: Vec<(String, String)>,
}

/// A table.
pub(crate) struct Table {
    /// The name of it, and of its words: `cards`.
    pub(crate) id: &'static str,
    /// The columns' names, whose words are `<id>.column.<name>`; an empty one has a heading of its own.
    pub(crate) columns: Vec<&'static str>,
    /// Choices above it.
    pub(crate) choices: Vec<Choice>,
    /// The rows.
    pub(crate) rows: Vec<Row>,
}

impl Table {
    /// The table with its tools. Columns that are numbers are so in every row.
    pub(crate) fn html(&self, words: &Words) -> String {
        let id = self.id;
        let caption = words.say(&format!("{id}.caption"));
        let mut out = self.tools(words);
        // Writing into a string does not fail.
        let _ = write!(
            out,
            "<div class=\"table-scroll\" tabindex=\"0\" role=\"group\" aria-labelledby=\"{id}-caption\"><table id=\"{id}-table\" class=\"{id}\"><caption id=\"{id}-caption\">{caption}</caption><thead><tr>"
        );
        for (place, column) in self.columns.iter().enumerate() {
            let numeric = self.rows.iter().filter_map(|row| row.cells.get(place)).any(|cell| cell.numeric);
            let kind = if numeric { " class=\"numeric\" data-sort=\"number\"" } else { " data-sort=\"text\"" };
            let _ = write!(out, "<th scope=\"col\"{kind}>{}</th>", words.say(&format!("{id}.column.{column}")));
        }
        out.push_str("</tr></thead><tbody>");
        for row in &self.rows {
            let _ = write!(out, "<tr id=\"{}\"", row.id);
            for (name, value) in &row.chosen_by {
                let _ = write!(out, " data-{name}=\"{value}\"");
            }
            out.push('>');
            for (place, cell) in row.cells.iter().enumerate() {
                let (tag, scope) = if place == 0 { ("th", " scope=\"row\"") } else { ("td", "") };
                let class = if cell.numeric { " class=\"numeric\"" } else { "" };
                let value = cell.value.map(|value| format!(" data-value=\"{value}\"")).unwrap_or_default();
                let _ = write!(out, "<{tag}{scope}{class}{value}>{}</{tag}>", cell.html);
            }
            out.push_str("</tr>");
        }
        out.push_str("</tbody></table></div>");
        out
    }

    /// The search field and the choices. They come to life with the script and are not shown before.
    fn tools(&self, words: &Words) -> String {
        let id = self.id;
        let choices = self.choices.iter().fold(String::new(), |mut all, choice| {
            let by = choice.by;
            let options =
                choice.options.iter().map(|(value, name)| format!("<option value=\"{value}\">{name}</option>"));
            let _ = write!(
                all,
                "<label>{} <select data-by=\"{by}\"><option value=\"\">{}</option>{}</select></label>",
                words.say(&format!("{id}.by.{by}")),
                words.say("tools.any"),
                options.collect::<String>()
            );
            all
        });
        tools(words, id, &format!("{id}-table"), &choices)
    }
}

/// A search field for what has the id `over`, with further choices, and how much is left.
pub(crate) fn tools(words: &Words, id: &str, over: &str, choices: &str) -> String {
    format!(
        "<div class=\"tools\" data-over=\"{over}\" data-count=\"{}\" hidden><label class=\"find\">{} <input type=\"search\" autocomplete=\"off\" spellcheck=\"false\" /></label>{choices}<p class=\"count\" role=\"status\"></p></div>",
        words.say(&format!("{id}.count")),
        words.say(&format!("{id}.find")),
    )
}

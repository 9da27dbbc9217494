//! The numbers of a drawing as a table under it: folded away, and wide ones scroll by themselves.

use leptos::prelude::*;

use crate::sections::masonry::live;

/// A table under a drawing.
pub struct Table {
    /// What the fold says, where there is one; the region that scrolls is called the same.
    pub name: &'static str,
    /// Its class in the style sheet.
    pub class: &'static str,
    /// What stands over it. Where nothing does, those who do not see it hear its name.
    pub caption: Option<&'static str>,
    /// What its columns hold.
    pub heads: Vec<String>,
    /// Its rows, headed each.
    pub rows: AnyView,
    /// What is said under it.
    pub note: Option<String>,
}

impl Table {
    /// The table, folded away until it is opened.
    pub fn folded(self) -> AnyView {
        let name = self.name;
        view! {
            <details class="plot-table">
                <summary>{name}</summary>
                {self.open()}
            </details>
        }
        .into_any()
    }

    /// The table as it stands, with its note.
    pub fn open(self) -> AnyView {
        let Self { name, class, caption, heads, rows, note } = self;
        let heads = heads.into_iter().map(|head| view! { <th scope="col">{head}</th> }).collect_view();
        let hidden = caption.is_none().then_some("visually-hidden");
        view! {
            <div class="table-scroll" tabindex="0" role="group" aria-label=name>
                <table class=class>
                    <caption class=hidden>{caption.unwrap_or(name)}</caption>
                    <thead>
                        <tr>{heads}</tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            {note.map(|note| view! { <p class="caption">{note}</p> })}
        }
        .into_any()
    }
}

/// Heads that are words.
pub fn heads<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).into()
}

/// A row whose cells follow the state: the name of each is `{prefix}.{cell}`.
pub fn row(head: String, prefix: &str, cells: &[&str]) -> AnyView {
    texts(head, cells.iter().map(|cell| live(&format!("{prefix}.{cell}"))))
}

/// A row of texts, which may be bindings.
pub fn texts(head: impl Into<String>, cells: impl IntoIterator<Item = String>) -> AnyView {
    let cells = cells.into_iter().map(|cell| view! { <td>{cell}</td> }).collect_view();
    view! {
        <tr>
            <th scope="row">{head.into()}</th>
            {cells}
        </tr>
    }
    .into_any()
}

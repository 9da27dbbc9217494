//! The plans side by side as a picture to be saved: what is said to the program that draws it, and the buttons.

use leptos::html;
use leptos::prelude::*;
use memory_wall_app::charts::wall::masonry;
use memory_wall_app::words::bucket_name;
use memory_wall_core::Bucket;

use crate::desk::{Desk, places};
use crate::outcome::Outcome;
use crate::{browser, plans, tables, words};

/// A kind of picture: what `exchange/` draws it with, and the name of its file.
type Kind = (&'static str, &'static str);
const SVG: Kind = ("drawn", "plans.svg");
const PNG: Kind = ("png", "plans.png");

/// The buttons that save it.
#[component]
pub(crate) fn Picture(desk: Desk) -> impl IntoView {
    let theme = NodeRef::<html::Select>::new();
    let waits = RwSignal::new(false);
    let fault = RwSignal::new(None::<String>);
    let save = move |(with, file): Kind| {
        let theme = theme.get_untracked().map_or_else(String::new, |theme| theme.value());
        waits.set(true);
        browser::exchange(with, &[&said(desk), &theme], move |drawn| {
            waits.set(false);
            let drawn = drawn.map(|all| all.into_iter().next().unwrap_or_default());
            fault.set(drawn.as_ref().err().cloned());
            match drawn {
                Ok(picture) if with == PNG.0 => browser::save_as(file, &picture),
                Ok(picture) => browser::save(file, &picture),
                Err(_) => return,
            }
            desk.spoken.set(words::picture_saved().into());
        });
    };
    let button = move |kind: Kind, label: &'static str| {
        view! {
            <button type="button" class="plain-button" on:click=move |_| save(kind)>
                {label}
            </button>
        }
    };
    let theme_of = |id: &'static str| view! { <option value=id>{words::PICTURE.of(id)}</option> };
    view! {
        <div class="picture" role="group" aria-labelledby="picture-title" aria-busy=move || waits.get().then_some("true")>
            <h4 id="picture-title">{words::picture_title()}</h4>
            <p class="field">
                <label for="picture-theme">{words::picture_theme()}</label>
                <select id="picture-theme" autocomplete="off" node_ref=theme>
                    {theme_of("light")} {theme_of("dark")}
                </select>
            </p>
            <p class="acts">{button(SVG, words::picture_svg())} {button(PNG, words::picture_png())}</p>
            <span class="field-error" role="status">
                {move || fault.get()}
            </span>
        </div>
    }
}

/// What is drawn, a line each: kinds of parts, plans with their walls, and the rows of the table.
fn said(desk: Desk) -> String {
    let mut text = String::new();
    let mut line = |words: &[&str]| {
        let clean = |word: &&str| word.replace(char::is_control, " ");
        text += &words.iter().map(clean).collect::<Vec<_>>().join("\t");
        text.push('\n');
    };
    untrack(|| {
        let there = places().filter(|place| desk.exists(*place));
        let said = |outcome: &Outcome| outcome.said.clone();
        let about: Vec<String> = there
            .clone()
            .map(|place| {
                let verdict = desk.outcome(place, |outcome| outcome.said.verdict.clone()).unwrap_or_default();
                format!("{} {verdict}.", plans::summary(desk, place))
            })
            .collect();
        line(&["title", words::picture_head(), &about.join(" ")]);
        for bucket in Bucket::EACH {
            let [width, height, path] = masonry(bucket);
            line(&["kind", bucket.id(), bucket_name(bucket), width, height, path]);
        }
        for place in there {
            let verdict = desk.outcome(place, said).unwrap_or_default();
            line(&["plan", &desk.name(place), &verdict.verdict, &verdict.why]);
            let Some(wall) = desk.wall(place, Clone::clone) else { continue };
            if wall.over {
                line(&["over"]);
            }
            if let Some(at) = wall.line {
                line(&["capacity", &plans::percent(at), &plans::line_label(desk, place)]);
            }
            if let Some(at) = wall.limit {
                line(&["limit", &plans::percent(at)]);
            }
            for (bucket, [top, height]) in Bucket::EACH.into_iter().zip(&wall.parts) {
                line(&["part", bucket.id(), &plans::percent(top.max(0.0)), &plans::percent(*height)]);
            }
        }
        // Names and verdicts stand above the walls.
        for row in tables::rows(desk).iter().skip(2) {
            let words: Vec<&str> = std::iter::once("row").chain(row.iter().map(String::as_str)).collect();
            line(&words);
        }
    });
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_wall_exchange::picture::{Theme, svg};

    #[test]
    fn the_picture_says_what_the_page_says() {
        let owner = Owner::new();
        let (said, rows) = owner.with(|| {
            let desk = Desk::new();
            desk.finish();
            (said(desk), untrack(|| tables::rows(desk)))
        });
        let drawn = svg(&said, Theme::Light);
        for text in rows.iter().take(2).flat_map(|row| row.iter().skip(1)) {
            assert!(said.contains(text.as_str()), "{text}");
        }
        for row in rows.iter().skip(2) {
            assert!(said.contains(&format!("row\t{}", row.join("\t"))), "{row:?}");
        }
        for bucket in [Bucket::Weights, Bucket::KvCache] {
            assert!(drawn.contains(&format!("url(#{})", bucket.id())), "{}", bucket.id());
        }
        assert!(drawn.contains("<desc id=\"desc\">bf16: Weights "), "{drawn}");
        assert!(drawn.matches("stroke-width=\"2\"").count() == 3, "a line of capacity for each plan");
    }
}

//! Where a teacher chooses what is packed for a learning platform, and takes the whole tutorial as the build packed it.

use memory_wall_app::registry;
use memory_wall_app::words::section_title;

use crate::wording::{Words, escaped};
use crate::{check, embed, kit, page};

/// The choice, which works with the script alone, and the packages that are ready.
pub(super) fn chooser(words: &Words) -> Result<String, String> {
    let option = |value: &str, name: &str| format!("<option value=\"{value}\">{}</option>", escaped(name));
    let group = |id: &str, options: String| {
        format!("<optgroup label=\"{}\">{options}</optgroup>", words.say(&format!("packages.part.{id}")))
    };
    let titles = page::titles(&page::texts()?);
    let sections = titles.iter().filter(|(id, _)| *id != check::SECTION).map(|(id, title)| option(id, title));
    let figures = registry::alone().map(|id| option(&format!("figure-{id}"), embed::title(id)));
    let asked = embed::asked().into_iter().map(|id| option(&format!("questions-{id}"), section_title(id)));
    let parts = [
        format!("<option value=\"course\">{}</option>", words.say("packages.part.course")),
        group("sections", sections.collect()),
        group("figures", figures.collect()),
        group("questions", asked.collect()),
    ];
    let name = |id: &str| words.say(&format!("packages.standard.{id}"));
    let standards =
        kit::standards().fold(String::new(), |all, id| all + &format!("<option value=\"{id}\">{}</option>", name(id)));
    let ready = kit::standards().fold(String::new(), |all, id| {
        all + &format!("<li><a href=\"{}\" download>{}</a></li>", kit::ready(id), name(id))
    });
    let said = ["packing", "packed", "failed", "mastery.wrong"].into_iter().fold(String::new(), |all, key| {
        all + &format!(" data-{}=\"{}\"", key.replace('.', "-"), words.say(&format!("packages.{key}")))
    });
    Ok(format!(
        "{}<form id=\"packer\" class=\"builder\" hidden{said}><div class=\"choices\">\
         <p class=\"field\"><label for=\"pack-part\">{}</label><select id=\"pack-part\" name=\"part\">{}</select></p>\
         <p class=\"field\"><label for=\"pack-standard\">{}</label><select id=\"pack-standard\" name=\"standard\">{standards}</select></p>\
         <p class=\"field\"><label for=\"pack-mastery\">{}</label><input id=\"pack-mastery\" name=\"mastery\" type=\"text\" inputmode=\"numeric\" autocomplete=\"off\" value=\"{}\" /></p>\
         <p class=\"act\"><button>{}</button> <span id=\"pack-said\" role=\"status\"></span></p></div></form>\
         {}<ul id=\"package-files\">{ready}</ul>{}",
        words.paragraphs("packages.lead", &[]),
        words.say("packages.part"),
        parts.concat(),
        words.say("packages.standard"),
        words.say("packages.mastery"),
        kit::MASTERY,
        words.say("packages.make"),
        words.paragraphs("packages.ready", &[("percent", kit::MASTERY.to_string())]),
        words.paragraphs("packages.notes", &[]),
    ))
}

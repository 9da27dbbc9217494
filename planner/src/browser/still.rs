//! The same where no browser is: nobody presses anything while the page is built.

use leptos::ev;

pub(crate) fn address(query: &str) -> String {
    query.to_owned()
}

pub(crate) fn copy(_: &str, _: impl Fn(bool) + 'static) {}

pub(crate) fn save(_: &str, _: &str) {}

pub(crate) fn chosen_file(_: &ev::Event, _: impl Fn(String) + 'static) {}

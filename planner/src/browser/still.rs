//! The same where no browser is: nobody presses anything while the page is built.

use leptos::ev;
use leptos::html::ElementType;
use memory_wall_plan::reply::Reply;

/// A picture that nobody sees.
#[derive(Clone, Default)]
pub(crate) struct Picture(());

impl Picture {
    pub(crate) fn show(&self, _: &<leptos::html::Canvas as ElementType>::Output, _: Option<Reply>) {
        let Self(()) = self;
    }
}

pub(crate) fn cell(_: &ev::MouseEvent) -> Option<[usize; 2]> {
    None
}

pub(crate) fn address(query: &str) -> String {
    query.to_owned()
}

pub(crate) fn tutorial(query: &str) -> String {
    format!("index.html?{query}#calculator")
}

pub(crate) fn copy(_: &str, _: impl Fn(bool) + 'static) {}

pub(crate) fn exchange(_: &str, _: &[&str], _: impl FnOnce(Result<Vec<String>, String>) + 'static) {}

pub(crate) fn with_configs(_: impl FnOnce(bool) + 'static) {}

pub(crate) fn save(_: &str, _: &str) {}

pub(crate) fn save_as(_: &str, _: &str) {}

pub(crate) fn chosen_file(_: &ev::Event, _: impl Fn(String) + 'static) {}

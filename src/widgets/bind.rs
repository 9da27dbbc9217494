//! Reactive pieces of a view under a few types.
//!
//! Each closure in a view is a type of its own, and the framework compiles its machinery once for every type.
//! Behind these functions there is one type for each kind of piece, which halves the program that the page loads.

use leptos::prelude::*;

/// A text that follows its signals.
pub fn text(make: impl Fn() -> String + Send + Sync + 'static) -> Signal<String> {
    Signal::derive(make)
}

/// An attribute with a value, or none.
pub fn maybe(make: impl Fn() -> Option<String> + Send + Sync + 'static) -> Signal<Option<String>> {
    Signal::derive(make)
}

/// `true` or `false` in words, for ARIA states.
pub fn state(holds: impl Fn() -> bool + Send + Sync + 'static) -> Signal<String> {
    Signal::derive(move || if holds() { "true" } else { "false" }.to_owned())
}

/// A property that is on or off.
pub fn switch(holds: impl Fn() -> bool + Send + Sync + 'static) -> Signal<bool> {
    Signal::derive(holds)
}

/// A part of a view that is made anew when its signals change.
pub fn view(make: impl Fn() -> AnyView + Send + 'static) -> Box<dyn FnMut() -> AnyView + Send> {
    Box::new(make)
}

/// Does something again whenever what it reads has changed.
pub fn follow(act: impl FnMut() + 'static) {
    let mut act: Box<dyn FnMut()> = Box::new(act);
    Effect::new(move |_: Option<()>| act());
}

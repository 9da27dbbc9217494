//! The names of bindings, as the prose has them. Only the page's build knows them.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::{Bindings, Model, Place};
use crate::registry::FIGURES;

/// Every name, and where it leads.
fn all() -> &'static BTreeMap<String, Place> {
    static ALL: OnceLock<BTreeMap<String, Place>> = OnceLock::new();
    ALL.get_or_init(|| {
        let figures = FIGURES.iter().enumerate();
        let all = figures.flat_map(|(figure, row)| {
            let names = (row.names)().into_iter().enumerate();
            names.map(move |(binding, name)| (format!("{}.{name}", row.id), Place { figure, binding }))
        });
        all.collect()
    })
}

/// The binding with this name, such as `states.total.mixed`.
pub fn find(name: &str) -> Option<Place> {
    all().get(name).copied()
}

/// The name of a binding.
pub fn name(place: Place) -> Option<&'static str> {
    all().iter().find(|(_, known)| **known == place).map(|(name, _)| name.as_str())
}

/// Every name.
pub fn names() -> impl Iterator<Item = &'static str> {
    all().keys().map(String::as_str)
}

/// A binding in a view: as a text, or as the whole of an attribute.
pub fn bound<M: Model>(binding: M::Binding) -> String {
    crate::sections::masonry::live(&path::<M>(binding))
}

/// A binding in a view as it is with the settings of a link, whatever the reader's are: as a text.
pub fn bound_at<M: Model>(binding: M::Binding, query: &str) -> String {
    crate::sections::masonry::live(&format!("{} at {query}", path::<M>(binding)))
}

/// A binding in a view, said of something that the page names: as a text, or as the whole of an attribute.
pub fn bound_of<M: Model>(binding: M::Binding, of: &str) -> String {
    crate::sections::masonry::live(&format!("{} of {of}", path::<M>(binding)))
}

/// The name of a model's binding, with its figure.
fn path<M: Model>(binding: M::Binding) -> String {
    let place = M::Binding::ALL.iter().position(|known| *known == binding);
    let name = place.and_then(|place| M::Binding::names().into_iter().nth(place)).unwrap_or_default();
    format!("{}.{name}", M::ID)
}

//! Effects of the page itself.

use reactive_graph::effect::ImmediateEffect;
use send_wrapper::SendWrapper;

/// Does something now, and again as soon as anything that it reads has changed, for as long as the page lives.
pub(super) fn follow(act: impl Fn() + 'static) {
    let act: SendWrapper<Box<dyn Fn()>> = SendWrapper::new(Box::new(act));
    std::mem::forget(ImmediateEffect::new(move || {
        act();
    }));
}

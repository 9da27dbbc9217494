//! Asking a config for one field at a time: a number in its range, a switch, an activation.

use crate::architecture::{Mlp, SlidingWindow};
use crate::bounds::{self, Bounds};

use super::ConfigError;
use super::value::{Object, Value};

/// A number of layers that may be none.
pub(super) const LAYERS_OR_NONE: Bounds = Bounds { min: 0, ..bounds::LAYERS };

/// A length of context only ever held against others, so none is too long.
pub(super) const CONTEXT: Bounds = Bounds { max: u32::MAX, ..bounds::POSITIONS };

/// What a file says of a number.
#[derive(Clone, Copy)]
pub(super) enum Given {
    /// The field is not there: the default of the class holds.
    Missing,
    /// It is there and `null`, which classes take as "none" or as "follows from the others".
    Null,
    /// It is there.
    Number(u32),
}

/// The fields of one model.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a>(pub(super) &'a Object);

impl<'a> Fields<'a> {
    pub(super) fn get(self, field: &str) -> Option<&'a Value> {
        self.0.get(field)
    }

    /// Whether it is there and not `null`.
    pub(super) fn present(self, field: &str) -> bool {
        !matches!(self.get(field), None | Some(Value::Nothing))
    }

    pub(super) fn given(self, field: &'static str, bounds: Bounds) -> Result<Given, ConfigError> {
        match self.get(field) {
            None => Ok(Given::Missing),
            Some(Value::Nothing) => Ok(Given::Null),
            Some(Value::Whole(value)) => match bounds.check(*value) {
                Ok(number) => Ok(Given::Number(number)),
                Err(error) => Err(ConfigError::OutOfBounds { field, error }),
            },
            Some(other) => Err(ConfigError::WrongKind { field, wanted: "a whole number", found: other.kind() }),
        }
    }

    /// A number, if there is one.
    pub(super) fn optional(self, field: &'static str, bounds: Bounds) -> Result<Option<u32>, ConfigError> {
        Ok(match self.given(field, bounds)? {
            Given::Number(number) => Some(number),
            Given::Missing | Given::Null => None,
        })
    }

    /// A number without which there is no model.
    pub(super) fn number(self, field: &'static str, bounds: Bounds) -> Result<u32, ConfigError> {
        self.optional(field, bounds)?.ok_or(ConfigError::Missing(field))
    }

    /// A number, or the default of the class.
    pub(super) fn or(self, field: &'static str, bounds: Bounds, default: u32) -> Result<u32, ConfigError> {
        Ok(self.optional(field, bounds)?.unwrap_or(default))
    }

    /// A number by its older name, by its name of today, or the default of the class.
    pub(super) fn first_of(self, names: [&'static str; 2], bounds: Bounds, default: u32) -> Result<u32, ConfigError> {
        let [older, name] = names;
        match self.optional(older, bounds)? {
            Some(number) => Ok(number),
            None => self.or(name, bounds, default),
        }
    }

    /// A number of a class that cannot do with `null`, or its default.
    pub(super) fn never_null(self, field: &'static str, bounds: Bounds, default: u32) -> Result<u32, ConfigError> {
        match self.given(field, bounds)? {
            Given::Number(number) => Ok(number),
            Given::Missing => Ok(default),
            Given::Null => Err(ConfigError::WrongKind { field, wanted: "a whole number", found: "null" }),
        }
    }

    /// A number that goes by two names, which must not contradict each other.
    pub(super) fn either(self, one: &'static str, other: &'static str, bounds: Bounds) -> Result<u32, ConfigError> {
        match (self.optional(one, bounds)?, self.optional(other, bounds)?) {
            (Some(first), Some(second)) if first != second => Err(ConfigError::Contradiction { one, other }),
            (Some(number), _) | (None, Some(number)) => Ok(number),
            (None, None) => Err(ConfigError::Missing(one)),
        }
    }

    pub(super) fn switch(self, field: &'static str, default: bool) -> Result<bool, ConfigError> {
        match self.get(field) {
            None | Some(Value::Nothing) => Ok(default),
            Some(Value::Switch(value)) => Ok(*value),
            Some(other) => Err(ConfigError::WrongKind { field, wanted: "true or false", found: other.kind() }),
        }
    }

    /// Whether the head is the embedding table; `null` counts as no.
    pub(super) fn tied(self, default: bool) -> Result<bool, ConfigError> {
        let field = "tie_word_embeddings";
        self.switch(field, default && self.get(field) != Some(&Value::Nothing))
    }

    /// Refuses the model if the switch does not stand where it must.
    pub(super) fn must_be(self, field: &'static str, wanted: bool) -> Result<(), ConfigError> {
        if self.switch(field, wanted)? == wanted { Ok(()) } else { Err(ConfigError::NotModelled(field)) }
    }

    /// A list, where there is one.
    pub(super) fn list(self, field: &'static str) -> Result<Option<&'a [Value]>, ConfigError> {
        match self.get(field) {
            None | Some(Value::Nothing) => Ok(None),
            Some(Value::List(values)) => Ok(Some(values)),
            Some(other) => Err(ConfigError::WrongKind { field, wanted: "a list", found: other.kind() }),
        }
    }

    /// A number, or a list of the same number for every layer.
    pub(super) fn uniform(self, field: &'static str, bounds: Bounds) -> Result<Option<u32>, ConfigError> {
        let Some(Value::List(values)) = self.get(field) else { return self.optional(field, bounds) };
        match values.split_first() {
            Some((Value::Whole(first), rest)) if rest.iter().all(|value| *value == Value::Whole(*first)) => {
                bounds.check(*first).map(Some).map_err(|error| ConfigError::OutOfBounds { field, error })
            }
            _ => Err(ConfigError::NotModelled("a list whose numbers differ from layer to layer")),
        }
    }

    /// Whether any of these rates of dropout is above zero; `default` where the file does not say.
    pub(super) fn drops(self, fields: &[&str], default: bool) -> bool {
        fields.iter().any(|field| match self.get(field) {
            None => default,
            Some(Value::Number(rate)) => *rate > 0.0,
            Some(Value::Whole(rate)) => *rate > 0,
            Some(_) => false,
        })
    }

    /// Tokens that the model was built for.
    pub(super) fn context(self, field: &'static str, default: u32) -> Result<Option<u32>, ConfigError> {
        self.or(field, CONTEXT, default).map(Some)
    }

    /// The activation between gate and down; which of them makes no difference to memory.
    pub(super) fn gated(self, field: &str) -> Result<Mlp, ConfigError> {
        match self.get(field) {
            None | Some(Value::Nothing) => Ok(Mlp::Gated),
            Some(Value::Text(name)) if name == "silu" || name == "swish" || name.starts_with("gelu") => Ok(Mlp::Gated),
            Some(_) => Err(ConfigError::NotModelled("a hidden_act other than silu or a GELU")),
        }
    }

    /// The activation between up and down.
    pub(super) fn plain(self, field: &str, default: Mlp) -> Result<Mlp, ConfigError> {
        match self.get(field) {
            None | Some(Value::Nothing) => Ok(default),
            Some(Value::Text(name)) => match name.as_str() {
                "relu" => Ok(Mlp::Relu),
                "gelu" | "gelu_pytorch_tanh" => Ok(Mlp::Gelu),
                // Composed of several kernels, each of which keeps a tensor.
                "gelu_new" | "gelu_fast" => Ok(Mlp::GeluNew),
                _ => Err(ConfigError::NotModelled("an activation_function other than a GELU or a ReLU")),
            },
            Some(_) => Err(ConfigError::NotModelled("an activation_function other than a GELU or a ReLU")),
        }
    }

    /// KV heads: `missing` where the file is silent; `null` is multi-head attention.
    pub(super) fn kv_heads(self, heads: u32, missing: u32) -> Result<u32, ConfigError> {
        Ok(match self.given("num_key_value_heads", bounds::KV_HEADS)? {
            Given::Number(kv_heads) => kv_heads,
            Given::Missing => missing,
            Given::Null => heads,
        })
    }

    /// The width of a head, where the file may say it.
    pub(super) fn head_dim(self, hidden_size: u32, heads: u32) -> Result<u32, ConfigError> {
        match self.optional("head_dim", bounds::HEAD_DIM)? {
            Some(width) => Ok(width),
            None => shared_out(hidden_size, heads),
        }
    }

    /// The width of a head of a class with a default of its own.
    pub(super) fn head_dim_or(self, hidden_size: u32, heads: u32, missing: u32) -> Result<u32, ConfigError> {
        match self.given("head_dim", bounds::HEAD_DIM)? {
            Given::Number(width) => Ok(width),
            Given::Missing => Ok(missing),
            Given::Null => shared_out(hidden_size, heads),
        }
    }

    /// A window in every layer, unless it is `null`.
    pub(super) fn window_everywhere(
        self,
        layers: u32,
        missing: Option<u32>,
    ) -> Result<Option<SlidingWindow>, ConfigError> {
        let window = match self.given("sliding_window", bounds::SLIDING_WINDOW)? {
            Given::Number(window) => Some(window),
            Given::Missing => missing,
            Given::Null => None,
        };
        Ok(window.map(|window| SlidingWindow::over(layers, window)))
    }

    /// How many layers `layer_types` gives the attention called `other`; the rest must be `full_attention`.
    pub(super) fn layers_with(self, other: &str, layers: u32) -> Result<Option<u32>, ConfigError> {
        let Some(types) = self.list("layer_types")? else { return Ok(None) };
        if u32::try_from(types.len()) != Ok(layers) {
            return Err(ConfigError::Contradiction { one: "layer_types", other: "num_hidden_layers" });
        }
        let mut count = 0;
        for kind in types {
            match kind {
                Value::Text(name) if name == "full_attention" => {}
                Value::Text(name) if name == other => count += 1,
                _ => return Err(ConfigError::NotModelled("a kind of layer in layer_types that its class has not")),
            }
        }
        Ok(Some(count))
    }
}

/// The width of a head where the file does not say it.
pub(super) fn shared_out(hidden_size: u32, heads: u32) -> Result<u32, ConfigError> {
    if hidden_size.is_multiple_of(heads) {
        Ok(hidden_size / heads)
    } else {
        Err(ConfigError::HeadsDoNotDivide { hidden_size, heads })
    }
}

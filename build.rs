//! Makes words on screen functions, see `build/words.rs`, and says how large the stack is.

#[path = "build/stack.rs"]
mod stack;
#[path = "build/words.rs"]
mod words;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    stack::keep("bins");
    words::write("", &["words", "labels", "page"])
}

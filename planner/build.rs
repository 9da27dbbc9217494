//! Makes the words of the planner functions, as those of the tutorial are, and says how large the stack is.

#[path = "../build/stack.rs"]
mod stack;
#[path = "../build/words.rs"]
mod words;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    stack::keep("cdylib");
    words::write("../", &["planner"])
}

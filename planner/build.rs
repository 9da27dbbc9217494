//! Makes the words of the planner functions, as those of the tutorial are.

#[path = "../build/words.rs"]
mod words;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    words::write("../", &["planner"])
}

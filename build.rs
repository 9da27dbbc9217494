//! Makes words on screen functions, see `build/words.rs`.

#[path = "build/words.rs"]
mod words;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    words::write("", &["words", "labels", "page"])
}

use memory_wall_core::display::THIN_SPACE;

use super::model::Share;
use super::*;
use crate::figures::{Answer, Model as _, said};
use crate::live::Snapshot;
use crate::state::query;

fn says(query: &str, binding: Binding) -> String {
    said::<Model>(&Snapshot::of(query::decode(query).state), binding).replace(THIN_SPACE, " ")
}

#[test]
fn the_example_takes_what_its_way_sets_aside() {
    assert_eq!(says("v=1", Binding::Slots), "12.9 GB");
    for query in ["v=1", "model=deepseek-v3", "mode=training"] {
        let model = <Model as crate::figures::Model>::of(&Snapshot::of(query::decode(query).state));
        let [slots, pages, shared] = [Binding::Slots, Binding::Pages, Binding::Shared].map(|binding| {
            let Answer::Size(bytes) = model.answer(binding) else { panic!("{binding:?} is no size") };
            bytes
        });
        assert!(slots > pages && pages > shared, "{query}: {slots:?} {pages:?} {shared:?}");
    }
}

#[test]
fn vllm_takes_its_share_whatever_the_settings_need() {
    let said = says("v=1", Binding::Sentence);
    assert!(said.contains("92% of A100 SXM4 80GB") && said.contains("78.2 GB"), "{said}");
    // One sequence of 2,048 tokens needs 1.07 GB, and the pool is dozens of times that.
    let gb = |query: &str, share| says(query, Binding::Pool(share)).trim_end_matches(" GB").parse::<f64>().unwrap();
    assert!(gb("v=1", Share::Default) > 55.0, "{}", says("v=1", Binding::Pool(Share::Default)));
    let bytes = Binding::Bytes(Runtime::Vllm);
    assert_eq!(says("seq=4096&batch=8", bytes), says("v=1", bytes));
    assert_eq!(says("v=1", bytes), says("v=1", Binding::Pool(Share::Default)));
    assert!(gb("v=1", Share::Less) < gb("v=1", Share::Default) && gb("v=1", Share::Default) < gb("v=1", Share::More));
}

#[test]
fn tokens_and_requests_of_the_pool_agree() {
    let number = |binding| says("seq=4096", binding).replace(',', "").parse::<f64>().unwrap();
    for share in Share::ALL {
        let [tokens, requests] = [Binding::Tokens(share), Binding::Requests(share)].map(number);
        assert!((tokens / 4_096.0 / requests - 1.0).abs() < 0.01, "{share:?}: {tokens} {requests}");
    }
}

#[test]
fn where_the_pool_is_too_small_vllm_refuses_to_start() {
    for query in ["model=llama-3.1-70b", "seq=1000000", "seq=4097"] {
        let said = says(query, Binding::Sentence);
        assert!(said.contains("refuses to start") && said.contains("max_model_len"), "{query}: {said}");
    }
    // Longer than the model was made for, whatever the pool holds.
    assert!(says("seq=4097", Binding::Sentence).contains("4,096 that the model was made for"));
    assert_eq!(says("seq=4097", Binding::Tokens(Share::Default)), "does not start");
    // No cell has figures of a server that does not start.
    let share = Share::Default;
    let cells = [Binding::Pool(share), Binding::Tokens(share), Binding::Requests(share), Binding::Times(Runtime::Vllm)];
    for cell in cells {
        assert_eq!(says("model=llama-3.1-70b", cell), "does not start", "{cell:?}");
    }
    // CUDA graphs are counted inside the share, so a T4 has room left beside its 92%.
    assert!(says("model=llama-3.1-8b&weights=int4&gpu=t4", Binding::Sentence).contains("recorded CUDA graphs"));
    assert_eq!(says("weights=q6_k", Binding::Bytes(Runtime::Vllm)), "not offered");
    let said = says("weights=q6_k", Binding::Sentence);
    assert!(said.contains("does not run"), "{said}");
}

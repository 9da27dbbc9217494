//! The plan that is shown on other GPUs, with what that costs at the reader's prices.

use leptos::html;
use leptos::prelude::*;
use memory_wall_app::figures::money;
use memory_wall_core::display::{Count, Grouped, Margin};
use memory_wall_core::spending::price_per_million;
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_plan::maps::{self, Elsewhere};
use memory_wall_plan::reply::Reply;
use memory_wall_plan::{Plan, Value};

use crate::board::{Board, PRICE};
use crate::desk::Desk;
use crate::link;
use crate::{figures, words};

/// Tokens that a price is said for.
const MILLION: f64 = 1e6;

/// By what the table is sorted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Count,
    Cost,
    Speed,
    Spare,
}

impl Order {
    const ALL: [Self; 4] = [Self::Count, Self::Cost, Self::Speed, Self::Spare];

    const fn id(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Cost => "cost",
            Self::Speed => "speed",
            Self::Spare => "spare",
        }
    }

    /// What comes first is least.
    fn key(self, desk: Desk, there: &Elsewhere) -> f64 {
        let reply = &there.reply;
        let margin = reply.spare().map_or(0.0, |margin| margin.0 as f64);
        match self {
            Self::Count => reply.gpus() as f64 * 1e18 - margin,
            Self::Cost => cost(desk, there).map_or(f64::INFINITY, |[least, _]| least),
            Self::Speed => -reply.rate().map(|[_, best]| best).unwrap_or_default(),
            Self::Spare => -margin,
        }
    }
}

/// Whether a plan names this GPU.
fn is_on(plan: &Plan, gpu: &Gpu) -> bool {
    plan.get("gpu") == Some(&Value::Word(gpu.id))
}

/// What a GPU costs an hour: that of the plan which is shown, what the plan says, tracked.
fn price(desk: Desk, gpu: &Gpu) -> Option<u64> {
    let own = desk.sheet(|sheet| sheet.asked.spending.price.filter(|_| is_on(&sheet.asked.plan, gpu))).flatten();
    own.or_else(|| desk.prices.with(|prices| prices.of(gpu.id)))
}

/// Says what a GPU costs an hour; of the plan's own it is what the plan says.
fn put_price(desk: Desk, gpu: &'static Gpu, price: Option<u64>) {
    desk.prices.update(|prices| prices.put(gpu.id, price));
    if desk.now(|board| board.chosen_sheet().is_some_and(|sheet| is_on(&sheet.asked.plan, gpu))) {
        desk.edit(Some(PRICE), |board| board.spend(PRICE, price));
    }
}

/// The tokens of a run that trains, where they are stated: its price is that of the run.
fn tokens(desk: Desk) -> Option<u64> {
    let trains = desk.scenario(|scenario| scenario.mode.trains()).unwrap_or_default();
    desk.sheet(|sheet| sheet.asked.spending.tokens).flatten().filter(|_| trains)
}

/// What a million tokens costs there, or the run, least first; nothing where price or speed is not known.
fn cost(desk: Desk, there: &Elsewhere) -> Option<[f64; 2]> {
    let price = price(desk, there.gpu)? as f64 / 1e3;
    let millions = tokens(desk).map_or(1.0, |tokens| tokens as f64 / MILLION);
    let [worst, best] = there.reply.rate()?;
    Some([best, worst].map(|rate| price_per_million(rate, there.reply.gpus(), price) * millions))
}

/// The same in words, and which of the two is missing.
fn cost_text(desk: Desk, there: &Elsewhere) -> String {
    match cost(desk, there) {
        Some(ends) => money::dollar_range(ends),
        None if there.reply.rate().is_none() => words::gpus_no_speed().into(),
        None => words::gpus_no_price().into(),
    }
}

/// The heads of the table.
fn heads(desk: Desk) -> [&'static str; 7] {
    let cost = if tokens(desk).is_some() { words::FIGURE.of("price") } else { words::gpus_cost() };
    let [total, spare] = ["total", "spare"].map(|id| words::FIGURE.of(id));
    [words::gpus_gpu(), words::gpus_count(), words::gpus_price(), cost, words::gpus_rate(), total, spare]
}

/// A row of it without prices: how many GPUs, how fast, what is needed and to spare.
fn cells(desk: Desk, reply: &Reply) -> [String; 4] {
    let unit = desk.unit();
    let rate = reply.rate().map(|[_, best]| words::GpusUpTo { n: &rounded(best) }.text());
    let need = reply.needed().map(|span| figures::sizes(span, unit));
    let spare = reply.spare().map(|bytes| Margin { bytes, unit }.to_string());
    [Some(Grouped(reply.gpus().into()).to_string()), rate, need, spare].map(Option::unwrap_or_default)
}

/// The table as rows of texts, for what is copied; none where nobody has asked for it. Tracked.
pub(crate) fn rows(desk: Desk) -> Vec<Vec<String>> {
    let row = |there: &Elsewhere| {
        let [count, rate, need, spare] = cells(desk, &there.reply);
        let price = price(desk, there.gpu).map_or_else(String::new, |price| link::PRICE.write(price));
        vec![there.gpu.name.into(), count, price, cost_text(desk, there), rate, need, spare]
    };
    desk.found.with(|all| {
        let heads = (!all.is_empty()).then(|| heads(desk).map(String::from).to_vec());
        heads.into_iter().chain(all.iter().map(row)).collect()
    })
}

/// The GPUs that hold the plan, asked for when the reader wants to know: it is some hundred runs.
#[component]
pub(crate) fn Gpus(desk: Desk) -> impl IntoView {
    let found = desk.found;
    let asked = RwSignal::new(false);
    // By what the rows were sorted last. With another price they may not be any more, and stay where they are while somebody types.
    let order = RwSignal::new(Some(Order::Count));
    // Of a plan that has changed it is not known any more.
    let plan = Memo::new(move |_| desk.sheet(|sheet| sheet.asked.plan.clone()));
    Effect::new(move || {
        // Asked, and not only tracked: else the first answer would count as a change.
        plan.with(|_| ());
        found.set(Vec::new());
        asked.set(false);
    });
    let sort = move |by: Order| {
        order.set(Some(by));
        untrack(|| found.update(|all| all.sort_by(|one, other| by.key(desk, one).total_cmp(&by.key(desk, other)))));
    };
    let rows = move || found.get().into_iter().map(|there| view! { <Row desk there order /> }).collect_view();
    let sorts = Order::ALL
        .into_iter()
        .map(|by| {
            view! {
                <button
                    type="button"
                    class="plain-button"
                    aria-pressed=move || if order.get() == Some(by) { "true" } else { "false" }
                    on:click=move |_| sort(by)
                >
                    {words::ORDER.of(by.id())}
                </button>
            }
        })
        .collect_view();
    let heads = (0..7)
        .map(|nth| {
            let text = move || heads(desk).get(nth).copied().unwrap_or_default();
            view! { <th scope="col" class=(nth > 0).then_some("numeric")>{text}</th> }
        })
        .collect_view();
    let none = move || asked.get() && found.with(Vec::is_empty);
    view! {
        <div class="gpus">
            <p class="acts">
                <button
                    type="button"
                    class="plain-button"
                    on:click=move |_| {
                        let all = plan.with_untracked(|plan| plan.as_ref().map(maps::everywhere)).unwrap_or_default();
                        desk.spoken.set(words::GpusFound { n: &all.len().to_string() }.text());
                        found.set(all);
                        sort(Order::Count);
                        asked.set(true);
                    }
                >
                    {words::gpus_ask()}
                </button>
                <span class="unit-choice" role="group" aria-label=words::gpus_sort() hidden=move || found.with(Vec::is_empty)>
                    {sorts}
                </span>
            </p>
            <p class="caption" hidden=move || !none()>
                {words::gpus_none()}
            </p>
            <div class="table-scroll" tabindex="0" role="group" aria-labelledby="gpus-caption" hidden=move || found.with(Vec::is_empty)>
                <table class="compared">
                    <caption id="gpus-caption">{words::gpus_caption()}</caption>
                    <thead>
                        <tr>
                            {heads}
                            <td></td>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </div>
    }
}

/// The plan on one kind of GPU.
#[component]
fn Row(desk: Desk, there: Elsewhere, order: RwSignal<Option<Order>>) -> impl IntoView {
    let gpu = there.gpu;
    let [count, rate, need, spare] = cells(desk, &there.reply);
    let plan = there.plan.clone();
    let label = format!("{}: {}", words::gpus_price(), gpu.name);
    // What is seen stands in what is heard, so that it can be said to press it.
    let take_label = format!("{}: {}", words::gpus_take_short(), words::GpusTake { gpu: gpu.name }.text());
    let mistake = RwSignal::new(String::new());
    let typed = untrack(|| price(desk, gpu)).map(|price| link::PRICE.write(price)).unwrap_or_default();
    let place = NodeRef::<html::Input>::new();
    Effect::new(move || {
        // After sorting, the element is that of another row, with what was typed there.
        if let Some(input) = place.get() {
            input.set_value(&typed);
        }
    });
    let take = move |_| {
        let place = desk.now(Board::chosen);
        desk.change(place, None, |board| board.replace(place, plan.clone()));
    };
    view! {
        <tr>
            <th scope="row">{gpu.name}</th>
            <td class="numeric">{count}</td>
            <td class="numeric">
                <input
                    type="text"
                    class="number-input"
                    inputmode="decimal"
                    autocomplete="off"
                    aria-label=label
                    node_ref=place
                    aria-invalid=move || mistake.with(|text| !text.is_empty()).then_some("true")
                    on:input=move |event| {
                        let typed = event_target_value(&event);
                        let new = link::PRICE.read(&typed);
                        let is_right = new.is_some() || typed.trim().is_empty();
                        mistake.set(if is_right { String::new() } else { words::FieldSum { value: &typed }.text() });
                        if is_right {
                            put_price(desk, gpu, new);
                            order.update(|by| *by = by.filter(|by| *by != Order::Cost));
                        }
                    }
                />
                <span class="field-error" role="status">
                    {move || mistake.get()}
                </span>
            </td>
            <td class="numeric">{move || cost_text(desk, &there)}</td>
            <td class="numeric">{rate}</td>
            <td class="numeric">{need}</td>
            <td class="numeric">{spare}</td>
            <td>
                <button type="button" class="plain-button" aria-label=take_label on:click=take>
                    {words::gpus_take_short()}
                </button>
            </td>
        </tr>
    }
}

/// A rate in few digits.
fn rounded(rate: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "rates are positive and far below 2^64"
    )]
    let whole = rate.clamp(0.0, 1e15) as u64;
    Count(whole).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prices::Prices;

    /// The table of the first plan of a link at these prices.
    fn table(query: &str, prices: &str) -> Vec<Vec<String>> {
        let desk = Desk::new();
        let board = Board::of(link::read(query).0).unwrap();
        let plan = board.sheets()[0].asked.plan.clone();
        desk.begin(board);
        desk.prices.set(Prices::read(prices));
        desk.found.set(maps::everywhere(&plan));
        rows(desk)
    }

    #[test]
    fn each_row_says_its_price_or_that_it_is_missing() {
        any_spawner::Executor::init_futures_executor().ok();
        Owner::new().with(|| {
            let mixtral = "v=1&model=mixtral-8x7b&batch=100&seq=4096&engine=vllm&gpu=h100-sxm&tp=2&price=2.5";
            let rows = table(mixtral, "h200-sxm=3.5&h100-sxm=9");
            assert_eq!(rows[0].len(), 7);
            let of = |name: &str| rows.iter().find(|row| row[0].starts_with(name)).unwrap();
            // The plan's own price is that of its GPU.
            assert_eq!((of("H100 SXM5")[2].as_str(), of("H200 SXM")[2].as_str()), ("2.5", "3.5"));
            assert!(of("H100 SXM5")[3].starts_with('$') && of("H200 SXM")[3].starts_with('$'));
            let missing = of("B200");
            assert_eq!((missing[2].as_str(), missing[3].as_str()), ("", words::gpus_no_price()));
            // A server of which no times are known has none at any price.
            let pooled = table("v=1&model=llama-3.1-8b&engine=sglang&gpu=h100-sxm&price=2", "");
            assert!(pooled.iter().skip(1).all(|row| row[3] == words::gpus_no_speed()));
            let training = table("v=1&model=llama-3.1-8b&mode=training&gpu=h100-sxm&price=2&tokens=1e12", "b200=4");
            assert_eq!(training[0][3], words::FIGURE.of("price"));
            let b200 = training.iter().find(|row| row[0].starts_with("B200")).unwrap();
            assert!(b200[3].starts_with('$') && b200[3].contains(",000"), "{b200:?}");
        });
    }

    #[test]
    fn a_price_stays_with_its_kind_of_gpu() {
        any_spawner::Executor::init_futures_executor().ok();
        Owner::new().with(|| {
            let desk = Desk::new();
            desk.prices.set(Prices::read("l40s=0.9"));
            let place = desk.now(Board::chosen);
            let price = || desk.now(|board| board.paid(place).1);
            assert_eq!(price(), Some(2_000));
            crate::inputs::put(desk, "gpu", "L40S");
            assert_eq!(price(), Some(900));
            crate::inputs::put(desk, "gpu", "GeForce RTX 4090");
            assert_eq!(price(), None, "nobody said what that one costs");
            crate::inputs::put(desk, "gpu", "H100 SXM5 80GB");
            assert_eq!(price(), Some(2_000), "as before");
            crate::inputs::put(desk, "batch", "8");
            assert_eq!(price(), Some(2_000));
            // A GPU with more memory that is offered.
            let mut plan = desk.now(|board| board.sheets()[place].asked.plan.clone());
            plan.set("gpu", Value::Word("h200-sxm"));
            desk.change(place, None, |board| board.replace(place, plan));
            assert_eq!(price(), None);
            desk.travel(true);
            assert_eq!(price(), Some(2_000));
            // What was cleared stays so.
            crate::inputs::put(desk, PRICE, "");
            crate::inputs::put(desk, "gpu", "L40S");
            crate::inputs::put(desk, "gpu", "H100 SXM5 80GB");
            assert_eq!(price(), None);
            // A GPU that is described costs what the one costs that it was taken from, and nothing is kept of it.
            crate::inputs::put(desk, PRICE, "3");
            desk.change(place, None, Board::describe_gpu);
            assert_eq!(price(), Some(3_000));
            crate::inputs::put(desk, PRICE, "4");
            crate::inputs::put(desk, "gpu", "H100 SXM5 80GB");
            assert_eq!(price(), Some(3_000));
            // A price may come before its GPU.
            crate::inputs::put(desk, "gpu", "");
            crate::inputs::put(desk, PRICE, "5");
            crate::inputs::put(desk, "gpu", "GeForce RTX 4090");
            assert_eq!(price(), Some(5_000));
        });
    }

    #[test]
    fn a_price_is_that_of_so_many_gpus_for_an_hour() {
        any_spawner::Executor::init_futures_executor().ok();
        Owner::new().with(|| {
            let desk = Desk::new();
            let asked =
                link::read("v=1&model=llama-3.1-8b&engine=vllm&gpu=h100-sxm&batch=8&seq=4096&price=2").0.remove(0);
            desk.begin(Board::of(vec![asked.clone()]).unwrap());
            let own = maps::everywhere(&asked.plan).into_iter().find(|there| there.gpu.id == "h100-sxm").unwrap();
            let [least, most] = cost(desk, &own).unwrap();
            let said = Reply::of(&asked.plan, asked.spending).unwrap().answers().unwrap().served.unwrap();
            assert_eq!(said.per_million, Some([least, most]));
        });
    }
}

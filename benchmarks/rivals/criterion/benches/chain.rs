//! The benchmark keeps its name whatever the number of links, so that criterion sets the runs side by side.

use criterion::{criterion_group, criterion_main, Criterion};

fn chain(criterion: &mut Criterion) {
    let links = std::env::var("CHAIN_LINKS").expect("CHAIN_LINKS is set");
    let links: u32 = links.parse().expect("CHAIN_LINKS is a number");
    criterion.bench_function("chain", |bencher| {
        bencher.iter(|| chain::links(std::hint::black_box(links)))
    });
}

criterion_group!(benches, chain);
criterion_main!(benches);

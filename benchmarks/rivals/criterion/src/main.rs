//! chain REPEATS LINKS: computes the chain REPEATS times and prints its last tag.

use std::process::ExitCode;

fn main() -> ExitCode {
    let numbers: Vec<u32> = std::env::args()
        .skip(1)
        .filter_map(|word| word.parse().ok())
        .collect();
    let [repeats, count] = numbers[..] else {
        eprintln!("usage: chain REPEATS LINKS");
        return ExitCode::from(2);
    };
    let mut tag = [0; 32];
    for _ in 0..repeats {
        tag = chain::links(std::hint::black_box(count));
    }
    println!("{}", tag.map(|byte| format!("{byte:02x}")).concat());
    ExitCode::SUCCESS
}

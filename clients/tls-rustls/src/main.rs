//! The two ends of a TLS connection by rustls: `ends server` and `ends client`.
//! They are spoken to as PROTOCOL.md of the ends in Go says.

mod client;
mod clocks;
mod fault;
mod line;
mod server;
mod settings;

use std::io::{BufRead, Write};

use serde::Deserialize;
use serde_json::{Value, json};

use fault::{Fault, other};
use settings::Settings;

const VERSION: u32 = 1;

/// What comes in; the members that are not of its command have their defaults.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Request {
    command: String,
    arm: String,
    count: usize,
    requests: usize,
    added_ns: u64,
    port: u16,
    pid: i32,
    #[serde(flatten)]
    settings: Settings,
}

/// One side of the conversation: it answers one command.
trait End {
    fn handle(&mut self, asked: Request) -> Result<Value, Fault>;
}

fn main() {
    let mut end: Box<dyn End> = match std::env::args().nth(1).as_deref() {
        Some("server") => Box::new(server::Server::default()),
        Some("client") => Box::new(client::Client::default()),
        _ => {
            eprintln!("usage: ends server|client");
            std::process::exit(2);
        }
    };
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let answer = line.map_err(|error| other(error.to_string())).and_then(|line| answer(end.as_mut(), &line));
        let mut answer = answer.unwrap_or_else(|fault| fault.into_reply());
        if answer.get("ok").is_none() {
            answer["ok"] = json!(true);
        }
        if writeln!(out, "{answer}").and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}

fn answer(end: &mut dyn End, line: &str) -> Result<Value, Fault> {
    let asked: Request = serde_json::from_str(line).map_err(|error| other(error.to_string()))?;
    if asked.command == "hello" {
        let library = format!("rustls {} on aws-lc-rs {}", env!("RUSTLS_VERSION"), env!("AWS_LC_RS_VERSION"));
        let pid = std::process::id();
        return Ok(json!({"protocol": VERSION, "library": library, "pid": pid, "clock": clocks::clock()}));
    }
    end.handle(asked)
}

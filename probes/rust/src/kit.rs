//! What every probe in Rust repeats: the conversation of probes/PROTOCOL.md, the clocks and the batches.
//! What is measured comes from the probe, as operations.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::{self, BufRead, Write};
use std::time::Instant;

use serde::Deserialize;
use serde_json::{Value, json};

const MOST_SINGLES: u64 = 1_000_000; // as many timings of ten digits are 11 MB of reply

pub type Texts = BTreeMap<String, String>;
pub type Parameters = BTreeMap<&'static str, Vec<&'static str>>;
/// What is timed: the bytes that it made, or None where its result was not right.
pub type Run = Box<dyn FnMut() -> Option<usize>>;

/// One operation made ready, and what can be asked about it outside the timing.
pub struct Operation {
    pub run: Run,
    /// Read back from the real thing.
    pub witnesses: Value,
    /// Makes a fresh product with the code that is timed.
    pub artefact: Option<Box<dyn FnMut() -> Option<String>>>,
    /// Whether that code, or its counterpart, finds an artefact genuine.
    pub accepts: Box<dyn Fn(&str) -> bool>,
    /// Witnesses of the artefact, or of the input where none is made.
    pub read_back: Box<dyn Fn(&str) -> Value>,
}

/// Ends a request, not the probe. It never quotes an input, which may be a key.
#[derive(Debug)]
pub enum Refusal {
    Skipped(String),
    Failed(String),
}

pub fn skipped(reason: &str) -> Refusal {
    Refusal::Skipped(reason.into())
}

pub fn failed(reason: &str) -> Refusal {
    Refusal::Failed(reason.into())
}

/// What hello answers, and the way from the names in a request to an operation. `empty` is the kit's own.
pub struct Probe {
    pub name: &'static str,
    pub runtime: &'static str,
    pub libraries: Vec<(&'static str, &'static str)>,
    pub operations: BTreeMap<&'static str, Parameters>,
    pub prepare: fn(&str, &Texts, &Texts) -> Result<Operation, Refusal>,
}

#[derive(Deserialize)]
struct Request {
    seq: i64,
    command: String,
    #[serde(default)]
    protocol: i64,
    #[serde(default)]
    operation: String,
    #[serde(default)]
    parameters: Texts,
    #[serde(default)]
    inputs: Texts,
    #[serde(default)]
    present: Vec<String>,
    #[serde(default)]
    count: u64,
    #[serde(default)]
    settle: u64,
    #[serde(default)]
    each: bool,
}

impl Probe {
    /// Answer one request a line until stop or the end of the input.
    pub fn serve(&self, lines: impl BufRead, mut out: impl Write) -> io::Result<()> {
        let mut live = None;
        for line in lines.split(b'\n') {
            let (reply, stopped) = self.answer(&line?, &mut live);
            writeln!(out, "{reply}")?;
            out.flush()?;
            if stopped {
                break;
            }
        }
        Ok(())
    }

    fn answer(&self, line: &[u8], live: &mut Option<Operation>) -> (Value, bool) {
        let asked: Request = match serde_json::from_slice(line) {
            Ok(asked) => asked,
            // The parser's own words would quote the line.
            Err(_) => return (json!({"seq": null, "status": "failed", "reason": "not a request"}), false),
        };
        let (status, reason) = match self.obey(&asked, live) {
            Ok(mut reply) => {
                reply["seq"] = json!(asked.seq);
                reply["status"] = json!("ok");
                return (reply, asked.command == "stop");
            }
            Err(Refusal::Skipped(reason)) => ("skipped", reason),
            Err(Refusal::Failed(reason)) => ("failed", reason),
        };
        (json!({"seq": asked.seq, "status": status, "reason": reason}), false)
    }

    fn obey(&self, asked: &Request, live: &mut Option<Operation>) -> Result<Value, Refusal> {
        match asked.command.as_str() {
            "hello" => self.hello(asked),
            "prepare" => {
                *live = None; // whatever comes of it, a later measure must not time what was live before
                let operation = live.insert(self.prepared(asked)?);
                Ok(json!({"witnesses": operation.witnesses}))
            }
            "witness" => witness(live.as_mut().ok_or(failed("nothing is prepared"))?, &asked.present),
            "measure" => measure(&mut live.as_mut().ok_or(failed("nothing is prepared"))?.run, asked),
            "stop" => Ok(json!({})),
            _ => Err(failed("unknown command: hello, prepare, witness, measure and stop are known")),
        }
    }

    fn hello(&self, asked: &Request) -> Result<Value, Refusal> {
        if asked.protocol != 1 {
            return Err(failed("this probe speaks protocol 1 alone"));
        }
        let named = |(name, version): &(&str, &str)| json!({"name": name, "version": version});
        let mut operations = vec![json!({"name": "empty", "parameters": {}})];
        operations.extend(self.operations.iter().map(|(name, known)| json!({"name": name, "parameters": known})));
        let start = Instant::now();
        Ok(json!({
            "protocol": 1,
            "probe": named(&(self.name, "1")),
            "runtime": named(&("Rust", self.runtime)),
            "libraries": self.libraries.iter().map(named).collect::<Vec<_>>(),
            "operations": operations,
            "clock": describe("Instant", || start.elapsed().as_nanos() as u64),
            "cpu_clock": describe("CLOCK_PROCESS_CPUTIME_ID", cpu_time),
        }))
    }

    fn prepared(&self, asked: &Request) -> Result<Operation, Refusal> {
        if asked.operation == "empty" {
            return Ok(Operation {
                run: Box::new(|| Some(0)),
                witnesses: json!({}),
                artefact: None,
                accepts: Box::new(|_| false),
                read_back: Box::new(|_| json!({})),
            });
        }
        let known = self.operations.get(asked.operation.as_str()).ok_or(failed("an unknown operation"))?;
        // A parameter passed over in silence would be a mislabelled measurement.
        if asked.parameters.keys().any(|name| !known.contains_key(name.as_str())) {
            return Err(failed("an unknown parameter"));
        }
        (self.prepare)(&asked.operation, &asked.parameters, &asked.inputs)
    }
}

fn witness(live: &mut Operation, present: &[String]) -> Result<Value, Refusal> {
    let artefact = match &mut live.artefact {
        Some(make) => Some(make().ok_or(failed("it made nothing"))?),
        None => None,
    };
    Ok(json!({
        "witnesses": (live.read_back)(artefact.as_deref().unwrap_or_default()),
        "artefact": artefact,
        "accepted": present.iter().map(|shown| (live.accepts)(shown)).collect::<Vec<_>>(),
    }))
}

fn measure(run: &mut Run, asked: &Request) -> Result<Value, Refusal> {
    if asked.count < 1 || asked.each && asked.count > MOST_SINGLES {
        return Err(failed("count must be at least 1; one by one a million fit into a line"));
    }
    batch(run, asked.settle);
    let size = if asked.each { 1 } else { asked.count };
    let batches: Vec<Batch> = (0..asked.count / size).map(|_| batch(run, size)).collect();
    let mut reply = json!({
        "count": asked.count,
        "elapsed_ns": batches.iter().map(|batch| batch.elapsed).collect::<Vec<_>>(),
        "failures": batches.iter().map(|batch| batch.failures).sum::<u64>(),
        "bytes": batches.iter().map(|batch| batch.bytes).sum::<usize>(),
    });
    if !asked.each {
        reply["cpu_ns"] = json!(batches[0].cpu);
    }
    Ok(reply)
}

struct Batch {
    elapsed: u64,
    cpu: u64,
    failures: u64,
    bytes: usize,
}

/// Time operations together. The CPU clock is read outside, since a reading of it takes longer.
fn batch(run: &mut Run, count: u64) -> Batch {
    let (mut failures, mut bytes) = (0, 0);
    let cpu_before = cpu_time();
    let before = Instant::now();
    for _ in 0..count {
        match black_box(run()) {
            Some(made) => bytes += made,
            None => failures += 1,
        }
    }
    let elapsed = before.elapsed().as_nanos() as u64;
    Batch { elapsed, cpu: cpu_time() - cpu_before, failures, bytes }
}

/// Of all threads of the process, in nanoseconds.
fn cpu_time() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel fills the structure that it is given.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut now) };
    assert_eq!(status, 0, "Linux has this clock");
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// The smallest step above zero of a clock, and the median cost of a reading.
fn describe(name: &str, read: impl Fn() -> u64) -> Value {
    let mut steps: Vec<u64> = (0..2000)
        .map(|_| {
            let before = read();
            read() - before
        })
        .collect();
    steps.sort_unstable();
    json!({"name": name, "granularity_ns": steps.iter().find(|step| **step > 0), "read_ns": steps[steps.len() / 2]})
}

//! The client: it sets connections up, one after the other, and times them.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::{Engine, prelude::BASE64_STANDARD};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, HandshakeKind, Stream};
use serde_json::{Value, json};

use crate::clocks::cpu_ns;
use crate::fault::{Fault, other};
use crate::line::{Counted, shake_hands};
use crate::settings::{Settings, seen};
use crate::{End, Request};

/// Connections before any that counts: the first ones of a process are slower.
const WARMING: usize = 3;

#[derive(Default)]
pub struct Client {
    arms: HashMap<String, Arm>,
}

/// The client's side of one arm: whom it talks to, and how.
struct Arm {
    settings: Settings,
    address: SocketAddr,
    pid: i32, // of the server: its CPU time is read too
    config: Option<Arc<ClientConfig>>,
    expected: Value, // what was seen of the first one, that all others must be like
    kept: Option<Line>,
    handshakes: u64,
    resumed: u64,
}

/// One connection, set up, and its times.
struct Line {
    counted: Counted,
    tls: Option<ClientConnection>,
    connecting: Duration,
    began: Instant,
    ready: Instant,
    first: Instant,
    sent: u64,
    received: u64,
    question: Vec<u8>,
    answer: Vec<u8>,
}

impl End for Client {
    fn handle(&mut self, asked: Request) -> Result<Value, Fault> {
        if asked.command == "open" {
            let arm = asked.arm.clone();
            let (opened, answer) = Arm::open(asked)?;
            self.arms.insert(arm, opened);
            return Ok(answer);
        }
        let on = self.arms.get_mut(&asked.arm).ok_or_else(|| other(format!("{} before open", asked.command)))?;
        match asked.command.as_str() {
            "measure" => on.measure(asked.count, asked.requests, Duration::from_nanos(asked.added_ns)),
            "close" => {
                let mut on = self.arms.remove(&asked.arm).expect("it was there");
                if let Some(kept) = on.kept.as_mut() {
                    kept.hang_up();
                }
                Ok(json!({"handshakes": on.handshakes, "resumed": on.resumed}))
            }
            command => Err(other(format!("there is no command {command}"))),
        }
    }
}

impl Arm {
    /// Connects for the first time, and says what was negotiated and what both ends sent to agree on it.
    fn open(asked: Request) -> Result<(Self, Value), Fault> {
        let settings = asked.settings;
        let config = if settings.is_tls() { Some(Arc::new(settings.client()?)) } else { None };
        let address = SocketAddr::from(([127, 0, 0, 1], asked.port));
        let resumes = settings.resumption && config.is_some();
        let mut made = Self {
            settings,
            address,
            pid: asked.pid,
            config,
            expected: Value::Null,
            kept: None,
            handshakes: 0,
            resumed: 0,
        };
        if resumes {
            made.once(false, Duration::ZERO)?; // a full one, which brings the ticket of the second
        }
        let first = made.once(true, Duration::ZERO)?;
        made.expected = first.tls.as_ref().map_or(json!({"protocol": "none"}), |tls| seen(tls));
        let mut kept = made.connect(false)?;
        kept.ask()?;
        made.kept = Some(kept);
        for _ in 0..WARMING {
            made.once(false, Duration::ZERO)?;
        }
        let wrote = BASE64_STANDARD.encode(&first.counted.wrote);
        let answer =
            json!({"seen": made.expected, "wrote": wrote, "read": BASE64_STANDARD.encode(&first.counted.read)});
        Ok((made, answer))
    }

    /// One connection: set up, one request, closed.
    fn once(&mut self, keeps: bool, added: Duration) -> Result<Line, Fault> {
        let mut made = self.connect(keeps)?;
        made.ask()?;
        made.hang_up();
        // Before the end of a connection it would let the server go idle, and its next handshake would be another.
        let ended = Instant::now();
        let mut now = ended;
        while now - ended < added {
            now = Instant::now();
        }
        made.first += now - ended;
        self.judge(&made)?;
        Ok(made)
    }

    /// Sets a connection up. Between two readings of the clock is the library's own work alone.
    fn connect(&mut self, keeps: bool) -> Result<Line, Fault> {
        let (question, answer) = (vec![0; self.settings.request_bytes], vec![0; self.settings.answer_bytes]);
        let name = ServerName::try_from(self.settings.name.clone()).map_err(|error| other(error.to_string()))?;
        let timeout = Duration::from_nanos(self.settings.timeout_ns);
        let before = Instant::now();
        let socket = TcpStream::connect(self.address)?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(timeout))?;
        let mut counted = Counted::new(socket, keeps);
        let began = Instant::now();
        let mut tls = None;
        if let Some(config) = &self.config {
            let mut made = ClientConnection::new(config.clone(), name)?;
            shake_hands(&mut made, &mut counted)?;
            self.resumed += u64::from(made.handshake_kind() == Some(HandshakeKind::Resumed));
            tls = Some(made);
        }
        let ready = Instant::now();
        self.handshakes += 1;
        let (sent, received, connecting) = (counted.sent, counted.received, began - before);
        Ok(Line { counted, tls, connecting, began, ready, first: ready, sent, received, question, answer })
    }

    fn judge(&self, made: &Line) -> Result<(), Fault> {
        match &made.tls {
            Some(tls) if !self.expected.is_null() => {
                let now = seen(tls);
                let alike =
                    ["protocol", "group", "cipher", "resumed"].iter().all(|name| now[name] == self.expected[name]);
                if alike {
                    return Ok(());
                }
                Err(Fault::new("varies", "a connection was negotiated otherwise than the first one"))
            }
            _ => Ok(()),
        }
    }

    /// Sets so many connections up, one after the other, and sends so many requests over one that stays open.
    fn measure(&mut self, count: usize, requests: usize, added: Duration) -> Result<Value, Fault> {
        let own = std::process::id() as i32;
        let (mut connect, mut handshake, mut first) = (Vec::new(), Vec::new(), Vec::new());
        let (mut sent, mut received, pid) = (0, 0, self.pid);
        let (ours, theirs, began) = (cpu_ns(own), cpu_ns(pid), Instant::now());
        for _ in 0..count {
            let made = self.once(false, added)?;
            connect.push(made.connecting.as_nanos() as u64);
            first.push((made.first - made.began).as_nanos() as u64);
            if made.tls.is_some() {
                handshake.push((made.ready - made.began).as_nanos() as u64);
            }
            sent += made.sent;
            received += made.received;
        }
        let (ours_then, theirs_then, middle) = (cpu_ns(own), cpu_ns(pid), Instant::now());
        let kept = self.kept.as_mut().ok_or_else(|| other("measure before open"))?;
        let (kept_sent, kept_received) = (kept.counted.sent, kept.counted.received);
        for _ in 0..requests {
            kept.ask()?;
        }
        let ended = Instant::now();
        Ok(json!({
            "connect_ns": connect, "handshake_ns": handshake, "first_byte_ns": first,
            "wall_ns": (ended - began).as_nanos() as u64,
            "client_cpu_ns": ours_then - ours, "server_cpu_ns": theirs_then - theirs,
            "handshake_sent_bytes": sent, "handshake_received_bytes": received,
            "requests_ns": (ended - middle).as_nanos() as u64, "requests_client_cpu_ns": cpu_ns(own) - ours_then,
            "requests_server_cpu_ns": cpu_ns(pid) - theirs_then, "requests_sent_bytes": kept.counted.sent - kept_sent,
            "requests_received_bytes": kept.counted.received - kept_received,
        }))
    }
}

impl Line {
    /// One request over the open connection, and its answer to the last byte.
    fn ask(&mut self) -> Result<(), Fault> {
        match &mut self.tls {
            Some(tls) => {
                self.first = exchange(&mut Stream::new(tls, &mut self.counted), &self.question, &mut self.answer)?;
            }
            None => self.first = exchange(&mut self.counted, &self.question, &mut self.answer)?,
        }
        Ok(())
    }

    /// Closes the connection and waits until the server has done so too: its CPU time is then complete.
    fn hang_up(&mut self) {
        if let Some(tls) = &mut self.tls {
            tls.send_close_notify();
            let _ = tls.write_tls(&mut self.counted);
        }
        let _ = self.counted.socket.shutdown(Shutdown::Write);
        let mut rest = [0; 4096];
        while self.counted.read(&mut rest).is_ok_and(|count| count > 0) {}
    }
}

/// The time of the first byte of the answer.
fn exchange(over: &mut (impl Read + Write), question: &[u8], answer: &mut [u8]) -> Result<Instant, Fault> {
    over.write_all(question)?;
    over.flush()?;
    let count = over.read(answer)?;
    let first = Instant::now();
    if count == 0 {
        return Err(Fault::new("closed", "the server closed before it answered"));
    }
    over.read_exact(&mut answer[count..])?;
    Ok(first)
}

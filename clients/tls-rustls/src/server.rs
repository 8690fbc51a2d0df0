//! The server: a listener for every arm, on loopback alone.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustls::{HandshakeKind, ServerConfig, ServerConnection, Stream};
use serde_json::{Value, json};

use crate::fault::{Fault, other};
use crate::line::{Counted, shake_hands};
use crate::settings::{Settings, seen};
use crate::{End, Request};

/// One serves the connection that stays open, the others those that come and go.
const THREADS: usize = 3;

#[derive(Default)]
pub struct Server {
    listeners: HashMap<String, (Arc<Listener>, u16)>,
}

/// The server's side of an arm, and what it saw of it.
struct Listener {
    settings: Settings,
    config: Option<Arc<ServerConfig>>,
    tally: Mutex<Tally>,
    over: AtomicBool,
}

#[derive(Default)]
struct Tally {
    handshakes: u64,
    resumed: u64,
    different: bool,
    last: Option<Value>,
    failed: String,
}

impl End for Server {
    fn handle(&mut self, asked: Request) -> Result<Value, Fault> {
        match asked.command.as_str() {
            "listen" => self.listen(asked),
            "tally" => {
                let (on, _) = self.listeners.get(&asked.arm).ok_or_else(|| other("tally before listen"))?;
                Ok(on.tally())
            }
            "close" => {
                if let Some((on, port)) = self.listeners.remove(&asked.arm) {
                    on.over.store(true, Ordering::Relaxed);
                    for _ in 0..THREADS {
                        let _ = TcpStream::connect(("127.0.0.1", port));
                    }
                }
                Ok(json!({}))
            }
            command => Err(other(format!("there is no command {command}"))),
        }
    }
}

impl Server {
    fn listen(&mut self, asked: Request) -> Result<Value, Fault> {
        let settings = asked.settings;
        let config = if settings.is_tls() { Some(Arc::new(settings.server()?)) } else { None };
        let listener = Arc::new(TcpListener::bind("127.0.0.1:0")?);
        let port = listener.local_addr()?.port();
        let made = Arc::new(Listener { settings, config, tally: Mutex::default(), over: AtomicBool::new(false) });
        for _ in 0..THREADS {
            let (made, listener) = (made.clone(), listener.clone());
            std::thread::spawn(move || {
                while let Ok((socket, _)) = listener.accept() {
                    if made.over.load(Ordering::Relaxed) {
                        return;
                    }
                    if let Err(fault) = made.serve(socket) {
                        made.tally.lock().expect("nobody panics").failed = format!("{fault:?}");
                    }
                }
            });
        }
        self.listeners.insert(asked.arm, (made, port));
        Ok(json!({"port": port}))
    }
}

impl Listener {
    /// Answers requests until the client closes.
    fn serve(&self, socket: TcpStream) -> Result<(), Fault> {
        socket.set_nodelay(true)?;
        let timeout = Duration::from_nanos(self.settings.timeout_ns);
        let mut counted = Counted::new(socket, false);
        let Some(config) = &self.config else {
            self.tally.lock().expect("nobody panics").handshakes += 1;
            self.answer(&mut counted);
            return Ok(());
        };
        counted.socket.set_read_timeout(Some(timeout))?;
        let mut tls = ServerConnection::new(config.clone())?;
        shake_hands(&mut tls, &mut counted)?;
        self.saw(&tls);
        counted.socket.set_read_timeout(None)?;
        self.answer(&mut Stream::new(&mut tls, &mut counted));
        Ok(())
    }

    fn answer(&self, over: &mut (impl Read + Write)) {
        let (mut question, answer) = (vec![0; self.settings.request_bytes], vec![0; self.settings.answer_bytes]);
        while over.read_exact(&mut question).is_ok() && over.write_all(&answer).and_then(|()| over.flush()).is_ok() {}
    }

    /// Takes down a connection that has been set up. All are alike but for the first one, which is never resumed.
    fn saw(&self, tls: &ServerConnection) {
        let (now, resumed) = (seen(tls), tls.handshake_kind() == Some(HandshakeKind::Resumed));
        let mut tally = self.tally.lock().expect("nobody panics");
        tally.handshakes += 1;
        tally.resumed += u64::from(resumed);
        if let Some(before) = &tally.last {
            let differs = ["protocol", "cipher"].iter().any(|name| before[name] != now[name]);
            tally.different |= differs || (before["group"] != now["group"] && !resumed);
        }
        tally.last = Some(now);
    }

    fn tally(&self) -> Value {
        let tally = self.tally.lock().expect("nobody panics");
        json!({
            "handshakes": tally.handshakes, "resumed": tally.resumed, "alike": !tally.different,
            "seen": tally.last.clone().unwrap_or_else(|| json!({})), "failed": tally.failed,
        })
    }
}

//! One connection, with or without TLS, that counts what passes.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use rustls::{ConnectionCommon, SideData};

/// Of each direction so many bytes of a first connection are kept, for somebody else to read.
const MOST_KEPT: usize = 64 << 10;

/// A socket that counts what passes, and keeps the beginning where it is to.
pub struct Counted {
    pub socket: TcpStream,
    pub sent: u64,
    pub received: u64,
    pub keeps: bool,
    pub wrote: Vec<u8>,
    pub read: Vec<u8>,
}

impl Counted {
    pub fn new(socket: TcpStream, keeps: bool) -> Self {
        Self { socket, sent: 0, received: 0, keeps, wrote: Vec::new(), read: Vec::new() }
    }
}

impl Read for Counted {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.socket.read(into)?;
        self.received += count as u64;
        if self.keeps && self.read.len() < MOST_KEPT {
            self.read.extend_from_slice(&into[..count]);
        }
        Ok(count)
    }
}

impl Write for Counted {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let count = self.socket.write(data)?;
        self.sent += count as u64;
        if self.keeps && self.wrote.len() < MOST_KEPT {
            self.wrote.extend_from_slice(&data[..count]);
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Set the connection up, to the end of the handshake as this end sees it.
pub fn shake_hands<D: SideData>(tls: &mut ConnectionCommon<D>, over: &mut Counted) -> io::Result<()> {
    while tls.is_handshaking() {
        tls.complete_io(over)?;
    }
    Ok(())
}

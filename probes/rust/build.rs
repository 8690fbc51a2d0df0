//! Gives the program the versions of the compiler and of the libraries that it is built with.

use std::{env, fs, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=Cargo.lock");
    let compiler = env::var("RUSTC").expect("cargo names it");
    let said = Command::new(compiler).arg("--version").output().expect("it built this program").stdout;
    let said = String::from_utf8(said).expect("it speaks ASCII");
    println!("cargo::rustc-env=RUSTC_VERSION={}", said.split(' ').nth(1).expect("rustc 1.2.3 (…)"));
    let lock = fs::read_to_string("Cargo.lock").expect("it is there");
    for library in
        ["aws-lc-rs", "jsonwebtoken", "argon2", "bcrypt", "blake2", "blake3", "poly1305", "scrypt", "tiny-keccak"]
    {
        let name = format!("{}_VERSION", library.replace('-', "_").to_uppercase());
        let (_, after) = lock.split_once(&format!("name = \"{library}\"\nversion = \"")).expect("it is a dependency");
        println!("cargo::rustc-env={name}={}", after.split('"').next().expect("a version ends"));
    }
}

//! Gives the program the versions of the libraries that it is built with.

use std::fs;

fn main() {
    println!("cargo::rerun-if-changed=Cargo.lock");
    let lock = fs::read_to_string("Cargo.lock").expect("it is there");
    for (library, name) in [("rustls", "RUSTLS_VERSION"), ("aws-lc-rs", "AWS_LC_RS_VERSION")] {
        let (_, after) = lock.split_once(&format!("name = \"{library}\"\nversion = \"")).expect("it is a dependency");
        println!("cargo::rustc-env={name}={}", after.split('"').next().expect("a version ends"));
    }
}

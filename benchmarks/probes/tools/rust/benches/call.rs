//! What someone would write to time one call of aws-lc-rs with criterion. CASE names a file of JSON.
use std::{env, fs, hint::black_box, time::Duration};

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::*;
use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{Criterion, SamplingMode};

/// What criterion measures instead of wall time: CPU time of the process, in nanoseconds.
struct CpuTime;

fn cpu_time() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel fills the structure that it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

impl Measurement for CpuTime {
    type Intermediate = u64;
    type Value = u64;
    fn start(&self) -> u64 {
        cpu_time()
    }
    fn end(&self, start: u64) -> u64 {
        cpu_time() - start
    }
    fn add(&self, one: &u64, other: &u64) -> u64 {
        one + other
    }
    fn zero(&self) -> u64 {
        0
    }
    fn to_f64(&self, value: &u64) -> f64 {
        *value as f64
    }
    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

fn main() {
    let text = fs::read_to_string(env::var("CASE").expect("CASE")).expect("a file");
    let case: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let der = pem::parse(case["private_key_pem"].as_str().unwrap()).unwrap();
    let data = case["signing_input"].as_str().unwrap().as_bytes();
    let random = SystemRandom::new();
    type Sign<'a> = Box<dyn Fn(&mut [u8]) -> usize + 'a>;
    let (sign, verifies, public): (Sign, &'static dyn VerificationAlgorithm, Vec<u8>) = if case["algorithm"] == "RS256" {
        let key = RsaKeyPair::from_pkcs8(der.contents()).unwrap();
        let public = key.public_key().as_ref().to_vec();
        let sign = move |out: &mut [u8]| {
            let size = key.public_modulus_len();
            key.sign(&RSA_PKCS1_SHA256, &random, data, &mut out[..size]).unwrap();
            size
        };
        (Box::new(sign), &RSA_PKCS1_2048_8192_SHA256, public)
    } else {
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der.contents()).unwrap();
        let public = key.public_key().as_ref().to_vec();
        let sign = move |out: &mut [u8]| {
            let made = key.sign(&random, data).unwrap();
            out[..made.as_ref().len()].copy_from_slice(made.as_ref());
            made.as_ref().len()
        };
        (Box::new(sign), &ECDSA_P256_SHA256_FIXED, public)
    };
    let public = ParsedPublicKey::new(verifies, &public).unwrap();
    let mut signature = vec![0; 512];
    let size = sign(&mut signature);
    let mut out = vec![0; 512];
    let lasts = Duration::from_secs_f64(env::var("SECONDS").expect("SECONDS").parse().unwrap());
    let mut criterion = Criterion::default()
        .with_measurement(CpuTime)
        .without_plots()
        .warm_up_time(lasts / 5)
        .measurement_time(lasts)
        .sample_size(10);
    let mut group = criterion.benchmark_group("call");
    group.sampling_mode(SamplingMode::Flat);
    group.bench_function("call", |bencher| {
        if case["operation"] == "sign" {
            bencher.iter(|| sign(black_box(&mut out)));
        } else {
            bencher.iter(|| public.verify_sig(black_box(data), &signature[..size]).unwrap());
        }
    });
}

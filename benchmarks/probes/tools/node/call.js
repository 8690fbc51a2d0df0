// What someone would write to time one call of node:crypto with mitata. CASE names a file of JSON.
import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { measure } from "mitata";

const given = JSON.parse(readFileSync(process.env.CASE, "utf8"));
const form = given.algorithm === "ES256" ? { dsaEncoding: "ieee-p1363" } : {};
const privateKey = createPrivateKey(given.private_key_pem);
const publicKey = createPublicKey(privateKey);
const data = Buffer.from(given.signing_input);
const signature = sign("sha256", data, { key: privateKey, ...form });
const call =
  given.operation === "sign"
    ? () => sign("sha256", data, { key: privateKey, ...form })
    : () => verify("sha256", data, { key: publicKey, ...form }, signature);

function cpuNs() {
  const { user, system } = process.cpuUsage();
  return 1e3 * (user + system);
}

// Samples of so many calls, all of which count.
function timed(samples) {
  return measure(call, {
    now: cpuNs,
    batch_samples: Number(process.env.COUNT),
    batch_unroll: 1,
    batch_threshold: Infinity,
    warmup_threshold: Infinity,
    samples_threshold: Infinity,
    min_samples: samples,
    max_samples: samples,
    min_cpu_time: 0,
    gc: false,
  });
}

await timed(Number(process.env.WARMUP_SAMPLES));
console.log((await timed(Number(process.env.SAMPLES))).avg * 1e-9);

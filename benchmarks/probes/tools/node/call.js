// What someone would write to time one call of node:crypto with tinybench. CASE names a file of JSON.
import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { Bench } from "tinybench";

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
const iterations = Number(process.env.ITERATIONS);
const warmupIterations = Number(process.env.WARMUP);
const bench = new Bench({ iterations, time: 0, warmupIterations, warmupTime: 0 });
// tinybench reads a clock before and after every call. What that costs shows with a call that does nothing.
const spent = {};
function add(name, run) {
  let before;
  const beforeAll = () => {
    before = process.cpuUsage();
  };
  const afterAll = () => {
    const { user, system } = process.cpuUsage(before);
    spent[name] = user + system;
  };
  bench.add(name, run, { beforeAll, afterAll });
}
add("call", call);
add("nothing", () => {});
bench.runSync();
console.log((spent.call - spent.nothing) / iterations / 1e6);

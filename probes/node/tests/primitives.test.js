import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { decode, encode } from "../src/keys.js";
import { WRONG } from "../src/kit.js";
import { OPERATIONS, prepare } from "../src/primitives/index.js";

const text = (data) => encode(Buffer.from(data, "latin1"));
const ready = (operation, algorithm, inputs) => prepare(operation, { algorithm }, inputs);

// FIPS 180-4 and 202, RFC 7693, and RFC 4231, test case 1.
for (const [operation, algorithm, key, data, start] of [
  ["hash", "sha-256", "", "abc", "ba7816bf8f01cfea"],
  ["hash", "sha-512", "", "abc", "ddaf35a193617aba"],
  ["hash", "sha3-256", "", "abc", "3a985da74fe225b2"],
  ["hash", "blake2b", "", "abc", "ba80a53f981c4d0d"],
  ["mac", "hmac-sha-256", "\x0b".repeat(20), "Hi There", "b0344c61d8db3853"],
  ["mac", "hmac-sha-512", "\x0b".repeat(20), "Hi There", "87aa7cdea5ef619d"],
]) {
  test(`as the standards have it: ${algorithm}`, async () => {
    const of = await ready(operation, algorithm, { key: text(key), data: text(data) });
    const made = decode(of.artefact());
    assert.equal(made.toString("hex").slice(0, 16), start);
    assert.equal(of.run(), made.length);
    assert.equal(of.accepts(encode(made)), true);
    assert.equal(of.accepts(encode(made.subarray(1))), false);
  });
}

for (const algorithm of OPERATIONS["aead-seal"].algorithm) {
  test(`what is sealed is opened, and not with a bit turned: ${algorithm}`, async () => {
    const size = algorithm === "aes-128-gcm" ? 16 : 32;
    const inputs = { key: encode(randomBytes(size)), data: encode(randomBytes(100)) };
    const seal = await ready("aead-seal", algorithm, inputs);
    const [first, second] = [seal.artefact(), seal.artefact()];
    assert.notEqual(first.slice(0, 16), second.slice(0, 16));
    const open = await ready("aead-open", algorithm, { ...inputs, sealed: first });
    assert.equal(open.run(), 100);
    assert.equal(open.artefact(), inputs.data);
    assert.equal(seal.accepts(second), true);
    const sealed = decode(first);
    for (let index = 0; index < sealed.length; index++) {
      const wrong = Buffer.from(sealed);
      wrong[index] ^= 1;
      assert.equal(open.accepts(encode(wrong)), false, `byte ${index}`);
    }
    const short = { ...inputs, sealed: encode(sealed.subarray(0, 27)) };
    assert.equal((await ready("aead-open", algorithm, short)).run(), WRONG);
  });
}

for (const [algorithm, size, publicSize] of [
  ["x25519", 32, 32],
  ["p-256", 32, 65],
  ["ml-kem-768", 64, 1184],
  ["x25519mlkem768", 96, 1216],
]) {
  test(`both sides agree: ${algorithm}`, async () => {
    const raw = randomBytes(size);
    raw[0] &= 0x7f; // below the order of P-256
    const other = await ready("agree", algorithm, { private_key: encode(raw), public_key: text("none") });
    assert.equal(other.witnesses.public_key_bytes, publicSize);
    assert.ok(other.run() >= 32);
    for (const wrong of ["", ".", "AA.AA", "a"]) assert.equal(other.accepts(wrong), false);
  });
}

test("a stored password is accepted, and another is not", async () => {
  const nothing = `${"A".repeat(22)}$${"A".repeat(43)}`;
  for (const [algorithm, head] of [
    ["argon2id", "$argon2id$v=19$m=64,t=1,p=1$"],
    ["scrypt", "$scrypt$ln=4,r=8,p=1$"],
    ["pbkdf2-sha256", "$pbkdf2-sha256$i=2$"],
    ["pbkdf2-sha512", "$pbkdf2-sha512$i=2$"],
  ]) {
    const like = { password: "correct", stored: head + nothing };
    const stored = (await ready("password", algorithm, like)).artefact();
    assert.ok(stored.startsWith(head) && stored !== like.stored);
    assert.equal((await ready("password", algorithm, { password: "correct", stored })).run(), 0);
    assert.equal((await ready("password", algorithm, { password: "horse", stored })).run(), WRONG);
  }
});

test("what does not fit is refused", async () => {
  for (const [operation, algorithm, inputs] of [
    ["hash", "blake3", { data: "AAAA" }],
    ["hash", "sha-256", {}],
    ["hash", "sha-256", { data: "A A" }],
    ["agree", "x25519", { private_key: "AAAA", public_key: "AAAA" }],
    ["password", "scrypt", { password: "p" }],
    ["password", "scrypt", { password: "p", stored: "$" }],
  ]) {
    await assert.rejects(ready(operation, algorithm, inputs), { name: "Error" });
  }
});

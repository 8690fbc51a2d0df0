// The operations of the experiment primitives: hashes, MACs, ciphers, key agreement and password hashes of node:crypto.
import { timingSafeEqual } from "node:crypto";
import { decode, encode } from "../keys.js";
import { failed, skipped } from "../kit.js";

const AEAD = ["aes-256-gcm", "aes-128-gcm", "chacha20-poly1305", "aes-256-gcm-siv"];
// Operation -> the module that has it, and its algorithms.
const FAMILIES = {
  hash: ["./hashes.js", ["sha-256", "sha-512", "sha3-256", "blake2b"]],
  mac: ["./hashes.js", ["hmac-sha-256", "hmac-sha-512"]],
  "aead-seal": ["./ciphers.js", AEAD],
  "aead-open": ["./ciphers.js", AEAD],
  agree: ["./exchange.js", ["x25519", "p-256", "ml-kem-768", "x25519mlkem768"]],
  password: ["./passwords.js", ["argon2id", "argon2id-rfc9106", "scrypt", "pbkdf2-sha256", "pbkdf2-sha512"]],
};

export const OPERATIONS = Object.fromEntries(
  Object.entries(FAMILIES).map(([name, [, algorithms]]) => [name, { algorithm: algorithms }]),
);

export async function prepare(operation, { algorithm }, inputs) {
  const [module, known] = FAMILIES[operation];
  if (!known.includes(algorithm)) throw skipped("not in node:crypto");
  return (await import(module)).prepare(operation, algorithm, inputs);
}

/** An input of base64url. */
export function bytes(inputs, name) {
  const data = decode(inputs[name] ?? "");
  if (!data?.length) throw failed(`the input ${name} is no base64url`);
  return data;
}

export const same = (one, other) => one.length === other.length && timingSafeEqual(one, other);

/** The operation of a function that always makes the same bytes. */
export function produces(makes, witnesses) {
  return {
    run: () => makes().length,
    witnesses,
    artefact: () => encode(makes()),
    accepts: (shown) => {
      const data = decode(shown);
      return data !== null && same(data, makes());
    },
  };
}

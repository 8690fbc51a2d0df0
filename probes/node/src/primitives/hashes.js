// Hashes, and MACs of the key's bytes, in one call each where node:crypto has one.
import { createHmac, hash } from "node:crypto";
import { bytes, produces } from "./index.js";

const NAMES = { "sha-256": "sha256", "sha-512": "sha512", "sha3-256": "sha3-256", blake2b: "blake2b512" };

export function prepare(operation, algorithm, inputs) {
  const data = bytes(inputs, "data");
  const witnesses = { data_bytes: data.length, implementation: "node:crypto/openssl" };
  if (operation === "hash") {
    const name = NAMES[algorithm];
    return produces(() => hash(name, data, "buffer"), witnesses);
  }
  const key = bytes(inputs, "key");
  const name = NAMES[algorithm.slice("hmac-".length)];
  const tag = () => createHmac(name, key).update(data).digest();
  return produces(tag, { ...witnesses, key_bits: 8 * key.length });
}

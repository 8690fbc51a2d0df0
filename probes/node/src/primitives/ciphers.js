// Authenticated encryption without additional data. node:crypto has an object for each message.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { decode, encode } from "../keys.js";
import { WRONG } from "../kit.js";
import { bytes } from "./index.js";

const NONCE = 12;
const TAG = 16;
const OPTIONS = { authTagLength: TAG };

export function prepare(operation, algorithm, inputs) {
  const key = bytes(inputs, "key");
  const witnesses = { key_bits: 8 * key.length, implementation: "node:crypto/openssl" };
  const accepts = (shown) => {
    const sealed = decode(shown);
    return sealed !== null && opener(algorithm, key, sealed)() !== null;
  };
  if (operation === "aead-open") {
    const sealed = bytes(inputs, "sealed");
    const open = opener(algorithm, key, sealed);
    const artefact = () => encode(open() ?? Buffer.alloc(0));
    witnesses.data_bytes = sealed.length - NONCE - TAG;
    return { run: () => open()?.length ?? WRONG, witnesses, artefact, accepts };
  }
  const data = bytes(inputs, "data");
  const nonce = randomBytes(NONCE);
  const seal = sealer(algorithm, key, nonce, data);
  const run = () => seal().ciphertext.length + TAG;
  const artefact = () => {
    const { ciphertext, tag } = seal();
    return encode(Buffer.concat([nonce, ciphertext, tag]));
  };
  return { run, witnesses: { ...witnesses, data_bytes: data.length }, artefact, accepts };
}

/** Counts the nonce up in every call, from a random one on, as whoever sends must. */
function sealer(algorithm, key, nonce, data) {
  let counter = nonce.readUInt32BE(8);
  return () => {
    counter = (counter + 1) >>> 0;
    nonce.writeUInt32BE(counter, 8);
    const cipher = createCipheriv(algorithm, key, nonce, OPTIONS);
    const ciphertext = cipher.update(data);
    cipher.final();
    return { ciphertext, tag: cipher.getAuthTag() };
  };
}

/** Gives the message, or null where the tag is wrong. */
function opener(algorithm, key, sealed) {
  if (sealed.length < NONCE + TAG) return () => null;
  const nonce = sealed.subarray(0, NONCE);
  const ciphertext = sealed.subarray(NONCE, -TAG);
  const tag = sealed.subarray(-TAG);
  return () => {
    const decipher = createDecipheriv(algorithm, key, nonce, OPTIONS);
    decipher.setAuthTag(tag);
    try {
      const data = decipher.update(ciphertext);
      decipher.final();
      return data;
    } catch {
      return null;
    }
  };
}

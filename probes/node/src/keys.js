// Keys out of PEM, what the parsed key says of itself, and compact tokens.
import { createPrivateKey, createPublicKey, createSecretKey } from "node:crypto";
import { failed } from "./kit.js";

/** Base64url in its one spelling: two spellings of a signature would be two tokens. null where it is none. */
export function decode(text) {
  const data = Buffer.from(text, "base64url");
  return data.toString("base64url") === text ? data : null;
}

export const encode = (data) => data.toString("base64url");

/** The signing input of a token and its signature; null where it is no compact JWS. */
export function split(token) {
  const parts = (token ?? "").split(".");
  const signature = parts.length === 3 ? decode(parts[2]) : null;
  return signature === null ? null : { data: Buffer.from(`${parts[0]}.${parts[1]}`), signature };
}

export function algorithmOf(token) {
  return JSON.parse(decode(token.split(".")[0])).alg;
}

/** What prepare was given, parsed: `text` keeps the PEM. A shared secret is both keys. */
export function keysOf(algorithm, inputs, signs) {
  if (algorithm.type === "oct") {
    const secret = decode(inputs.secret ?? "");
    if (!secret?.length) throw failed("the input secret is no base64url");
    const key = createSecretKey(secret);
    return { private: key, public: key, witnesses: { key_type: "oct", key_bits: 8 * key.symmetricKeySize } };
  }
  const keys = { text: { private: inputs.private_key_pem, public: inputs.public_key_pem } };
  keys.public = parsed(createPublicKey, inputs.public_key_pem, "public_key_pem");
  keys.witnesses = checked(algorithm, keys.public);
  if (signs) {
    keys.private = parsed(createPrivateKey, inputs.private_key_pem, "private_key_pem");
    keys.witnesses = checked(algorithm, createPublicKey(keys.private));
  }
  return keys;
}

function parsed(read, text, name) {
  try {
    return read(text);
  } catch {
    throw failed(`the input ${name} is no PEM that Node reads`);
  }
}

function checked(algorithm, key) {
  const read = describe(key);
  if (read.key_type !== algorithm.type || (read.curve ?? read.parameters ?? null) !== algorithm.curve) {
    throw failed(`${algorithm.name} takes ${algorithm.type} keys, this one is ${JSON.stringify(read)}`);
  }
  return read;
}

const BITS = { "P-256": 256, "P-384": 384, "P-521": 521, secp256k1: 256 };

/** Type, size and curve, read off a public key. */
function describe(key) {
  const jwk = key.export({ format: "jwk" });
  switch (jwk.kty) {
    case "RSA":
      return { key_type: "RSA", key_bits: key.asymmetricKeyDetails.modulusLength };
    case "EC":
      return { key_type: "EC", key_bits: BITS[jwk.crv], curve: jwk.crv };
    case "OKP":
      return { key_type: "OKP", key_bits: 8 * decode(jwk.x).length, curve: jwk.crv };
    default:
      return { key_type: jwk.kty, key_bits: 8 * decode(jwk.pub).length, parameters: jwk.alg };
  }
}

// Key agreement: both sides of one exchange with fresh keys, and what they send as bytes in between.
import {
  createPrivateKey,
  createPublicKey,
  decapsulate,
  diffieHellman,
  encapsulate,
  generateKeyPairSync,
} from "node:crypto";
import { decode, encode } from "../keys.js";
import { failed, WRONG } from "../kit.js";
import { bytes, same } from "./index.js";

const raw = (key) => key.export({ format: "raw-public" });

/** load(bytes), start() -> {key, sent}, respond(sent) -> {message, secret}, finish(key, message) -> secret */
function curve(type, options = {}) {
  const fresh = () => generateKeyPairSync(type, options);
  const shared = (privateKey, sent) => {
    const publicKey = createPublicKey({
      key: sent,
      format: "raw-public",
      asymmetricKeyType: type,
      ...options,
    });
    return diffieHellman({ privateKey, publicKey });
  };
  return {
    load: (key) => createPrivateKey({ key, format: "raw-private", asymmetricKeyType: type, ...options }),
    start() {
      const { privateKey, publicKey } = fresh();
      return { key: privateKey, sent: raw(publicKey) };
    },
    respond(sent) {
      const { privateKey, publicKey } = fresh();
      return { message: raw(publicKey), secret: shared(privateKey, sent) };
    },
    finish: shared,
  };
}

const KEM = "ml-kem-768";
const mlKem = {
  load: (key) => createPrivateKey({ key, format: "raw-seed", asymmetricKeyType: KEM }),
  start() {
    const { privateKey, publicKey } = generateKeyPairSync(KEM);
    return { key: privateKey, sent: raw(publicKey) };
  },
  respond(sent) {
    const key = createPublicKey({ key: sent, format: "raw-public", asymmetricKeyType: KEM });
    const { ciphertext, sharedKey } = encapsulate(key);
    return { message: ciphertext, secret: sharedKey };
  },
  finish: decapsulate,
};

/** ML-KEM before X25519 in all that is sent, and in the secret (draft-ietf-tls-ecdhe-mlkem). */
function hybrid(one, two) {
  const [seed, publicBytes, messageBytes] = [64, 1184, 1088];
  return {
    load: (key) => [one.load(key.subarray(0, seed)), two.load(key.subarray(seed))],
    start() {
      const [first, second] = [one.start(), two.start()];
      return { key: [first.key, second.key], sent: Buffer.concat([first.sent, second.sent]) };
    },
    respond(sent) {
      const first = one.respond(sent.subarray(0, publicBytes));
      const second = two.respond(sent.subarray(publicBytes));
      const message = Buffer.concat([first.message, second.message]);
      return { message, secret: Buffer.concat([first.secret, second.secret]) };
    },
    finish(key, message) {
      const first = one.finish(key[0], message.subarray(0, messageBytes));
      return Buffer.concat([first, two.finish(key[1], message.subarray(messageBytes))]);
    },
  };
}

const x25519 = curve("x25519");
const EXCHANGES = {
  x25519,
  "p-256": curve("ec", { namedCurve: "P-256" }),
  [KEM]: mlKem,
  x25519mlkem768: hybrid(mlKem, x25519),
};

export function prepare(operation, algorithm, inputs) {
  const { load, start, respond, finish } = EXCHANGES[algorithm];
  const peer = bytes(inputs, "public_key");
  const own = attempt(() => load(bytes(inputs, "private_key")));
  if (own === null) throw failed("the input private_key does not fit");
  return {
    run() {
      const { key, sent } = start();
      const { message, secret } = respond(sent);
      return same(finish(key, message), secret) ? secret.length : WRONG;
    },
    witnesses: { public_key_bytes: start().sent.length, implementation: "node:crypto/openssl" },
    artefact() {
      const { message, secret } = respond(peer);
      return `${encode(message)}.${encode(secret)}`;
    },
    accepts(shown) {
      const [message, secret] = shown.split(".").map(decode);
      const agreed = message && secret ? attempt(() => finish(own, message)) : null;
      return agreed !== null && same(agreed, secret);
    },
  };
}

/** null where OpenSSL does not take a key or a message. */
function attempt(call) {
  try {
    return call();
  } catch {
    return null;
  }
}

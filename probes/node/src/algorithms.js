// How node:crypto signs and verifies each algorithm, and what jose calls the same.
// A new algorithm is a row here, and a scheme below if its kind is new.
import { constants, createHmac, sign, timingSafeEqual, verify } from "node:crypto";

// Of RFC 7518, 3.5: the salt is as long as the hash.
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
// r‖s, as JOSE has it, instead of DER.
const JOSE_FORM = { dsaEncoding: "ieee-p1363" };

function hmac(hash) {
  const code = (key, data) => createHmac(hash, key).update(data).digest();
  return {
    sign: code,
    verify(key, data, signature) {
      const genuine = code(key, data);
      return genuine.length === signature.length && timingSafeEqual(genuine, signature);
    },
  };
}

const withKey = (hash, options = {}) => ({
  sign: (key, data) => sign(hash, data, { key, ...options }),
  verify: (key, data, signature) => verify(hash, data, { key, ...options }, signature),
});

/** Without a hash, or with one of its own. */
const pure = {
  sign: (key, data) => sign(null, data, key),
  verify: (key, data, signature) => verify(null, data, key, signature),
};

const row = (name, type, curve, scheme, jose = name) => [name, { name, type, curve, jose, ...scheme }];

export const ALGORITHMS = new Map([
  ...["256", "384", "512"].flatMap((size) => [
    row(`HS${size}`, "oct", null, hmac(`sha${size}`)),
    row(`RS${size}`, "RSA", null, withKey(`sha${size}`)),
    row(`PS${size}`, "RSA", null, withKey(`sha${size}`, PSS)),
  ]),
  row("ES256", "EC", "P-256", withKey("sha256", JOSE_FORM)),
  row("ES384", "EC", "P-384", withKey("sha384", JOSE_FORM)),
  row("ES512", "EC", "P-521", withKey("sha512", JOSE_FORM)),
  row("ES256K", "EC", "secp256k1", withKey("sha256", JOSE_FORM), null),
  row("EdDSA", "OKP", "Ed25519", pure),
  row("Ed448", "OKP", "Ed448", pure, null),
  row("ML-DSA-44", "AKP", "ML-DSA-44", pure),
  row("ML-DSA-65", "AKP", "ML-DSA-65", pure),
  row("ML-DSA-87", "AKP", "ML-DSA-87", pure),
]);

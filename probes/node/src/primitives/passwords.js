// Checking a password against what was stored of it. node:crypto derives; the text around it is this probe's.
import { argon2Sync, pbkdf2Sync, randomBytes, scryptSync } from "node:crypto";
import { failed, skipped, WRONG } from "../kit.js";
import { same } from "./index.js";

const BYTES = 32;
const MIB = 1 << 20;

const pbkdf2 = (name) => (password, salt, of) => pbkdf2Sync(password, salt, of.i, BYTES, name);
const argon2 = (message, nonce, of) =>
  argon2Sync("argon2id", { message, nonce, parallelism: of.p, tagLength: BYTES, memory: of.m, passes: of.t });

const DERIVE = {
  argon2id: argon2,
  "argon2id-rfc9106": argon2,
  scrypt: (password, salt, of) =>
    scryptSync(password, salt, BYTES, { N: 2 ** of.ln, r: of.r, p: of.p, maxmem: 256 * MIB }),
  "pbkdf2-sha256": pbkdf2("sha256"),
  "pbkdf2-sha512": pbkdf2("sha512"),
};

export function prepare(operation, algorithm, { password, stored }) {
  if (!password || !stored) throw failed("the inputs password and stored are needed");
  if (algorithm.startsWith("argon2") && !argon2Sync) throw skipped("not in this Node's node:crypto");
  const derive = DERIVE[algorithm];
  const checker = (text) => {
    const read = parsed(text);
    if (read === null) return null;
    const { settings, salt, hash } = read;
    return () => (same(derive(password, salt, settings), hash) ? 0 : WRONG);
  };
  const run = checker(stored);
  if (run === null) throw failed("the input stored is no stored password");
  return {
    run,
    witnesses: { implementation: "node:crypto/openssl" },
    artefact() {
      const { head, settings, salt } = parsed(stored);
      const fresh = randomBytes(salt.length);
      return [head, base64(fresh), base64(derive(password, fresh, settings))].join("$");
    },
    accepts: (shown) => checker(shown)?.() === 0,
  };
}

/** Of $argon2id$v=19$m=19456,t=2,p=1$SALT$HASH, and the like; null where it is not of that form. */
function parsed(text) {
  const parts = text.split("$");
  if (parts.length < 5) return null;
  const [salt, hash] = parts.slice(-2).map((part) => Buffer.from(part, "base64"));
  if (base64(salt) !== parts.at(-2) || base64(hash) !== parts.at(-1)) return null;
  const settings = parts.at(-3).split(",");
  return {
    head: parts.slice(0, -2).join("$"),
    settings: Object.fromEntries(settings.map((one) => [one.split("=")[0], Number(one.split("=")[1])])),
    salt,
    hash,
  };
}

const base64 = (data) => data.toString("base64").replace(/=+$/, "");

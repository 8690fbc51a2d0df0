// The bare signature: of node:crypto, over bytes that are at hand.
import { createPrivateKey, createPublicKey } from "node:crypto";
import { algorithmOf, encode, split } from "./keys.js";
import { failed, WRONG } from "./kit.js";

const IMPLEMENTATION = "node:crypto/openssl";

export function primitive(operation, algorithm, perCall, keys, inputs) {
  const witnesses = { ...keys.witnesses, implementation: IMPLEMENTATION };
  const parses = perCall && algorithm.type !== "oct";
  const accepts = (token) => {
    const run = verifier(algorithm, parses, keys, token);
    return run !== null && run() !== WRONG;
  };
  if (operation === "verify") {
    const run = verifier(algorithm, parses, keys, inputs.token);
    if (run === null) throw failed("the input token is no compact JWS");
    return { run, witnesses, accepts, readBack: () => ({ alg: algorithmOf(inputs.token) }) };
  }
  if (!inputs.signing_input) throw failed("the input signing_input is missing");
  const sign = signer(algorithm, parses, keys, Buffer.from(inputs.signing_input));
  return {
    run: () => sign().length,
    witnesses,
    accepts,
    artefact: () => `${inputs.signing_input}.${encode(sign())}`,
    readBack: (token) => ({ alg: algorithmOf(token) }),
  };
}

function signer(algorithm, parses, keys, data) {
  const { sign } = algorithm;
  if (parses) {
    const text = keys.text.private;
    return () => sign(createPrivateKey(text), data);
  }
  const key = keys.private;
  return () => sign(key, data);
}

function verifier(algorithm, parses, keys, token) {
  const read = split(token);
  if (read === null) return null;
  const { data, signature } = read;
  const { verify } = algorithm;
  if (parses) {
    const text = keys.text.public;
    return () => (verify(createPublicKey(text), data, signature) ? 0 : WRONG);
  }
  const key = keys.public;
  return () => (verify(key, data, signature) ? 0 : WRONG);
}

import assert from "node:assert/strict";
import { createPrivateKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { test } from "node:test";
import { ALGORITHMS } from "../src/algorithms.js";
import { decode, encode } from "../src/keys.js";
import { WRONG } from "../src/kit.js";
import { PARAMETERS, prepare } from "../src/prepare.js";

const CLAIMS = '{"iss":"https://issuer.example","sub":"user"}';
const KINDS = {
  RSA: ["rsa", { modulusLength: 2048 }],
  "P-256": ["ec", { namedCurve: "P-256" }],
  "P-384": ["ec", { namedCurve: "P-384" }],
  "P-521": ["ec", { namedCurve: "P-521" }],
  secp256k1: ["ec", { namedCurve: "secp256k1" }],
  Ed25519: ["ed25519"],
  Ed448: ["ed448"],
  "ML-DSA-44": ["ml-dsa-44"],
  "ML-DSA-65": ["ml-dsa-65"],
  "ML-DSA-87": ["ml-dsa-87"],
};

const base64url = (text) => encode(Buffer.from(text));

function inputsFor(name) {
  const { type, curve } = ALGORITHMS.get(name);
  const header = base64url(JSON.stringify({ typ: "JWT", alg: name === "Ed448" ? "EdDSA" : name }));
  const inputs = { claims: CLAIMS, signing_input: `${header}.${base64url(CLAIMS)}` };
  if (type === "oct") return { ...inputs, secret: encode(randomBytes(64)) };
  const pair = generateKeyPairSync(...KINDS[curve ?? type]);
  return {
    ...inputs,
    private_key_pem: pair.privateKey.export({ type: "pkcs8", format: "pem" }),
    public_key_pem: pair.publicKey.export({ type: "spki", format: "pem" }),
  };
}

/** A bit of every thirteenth byte turned, and tokens of strange form. */
function tampered(token) {
  const parts = token.split(".");
  const none = base64url('{"alg":"none"}');
  const wrong = ["", "..", "a.b.c", `${parts[0]}.${parts[1]}.`, `${token}.${parts[2]}`, `${token}!`];
  wrong.push(`${none}.${parts[1]}.`, ` ${token}`);
  parts.forEach((part, place) => {
    for (let index = 0; index < decode(part).length; index += 13) {
      const data = decode(part);
      data[index] ^= 1;
      wrong.push(parts.with(place, encode(data)).join("."));
    }
  });
  return wrong;
}

for (const name of PARAMETERS.algorithm) {
  for (const keyUse of PARAMETERS.key_use) {
    test(`tokens are verified by both layers, and tampered ones by none: ${name} ${keyUse}`, async () => {
      const inputs = inputsFor(name);
      const layers = ALGORITHMS.get(name).jose === null ? ["primitive"] : PARAMETERS.layer;
      for (const layer of layers) {
        const signer = await prepare("sign", { algorithm: name, layer, key_use: keyUse }, inputs);
        const token = await signer.artefact();
        assert.ok((await signer.run()) > 0);
        assert.equal(signer.readBack(token).alg, name === "Ed448" ? "EdDSA" : name);
        for (const other of layers) {
          const parameters = { algorithm: name, layer: other, key_use: keyUse };
          const verifier = await prepare("verify", parameters, { ...inputs, token });
          assert.notEqual(await verifier.run(), WRONG);
          assert.equal(await signer.accepts(token), true);
          for (const wrong of tampered(token)) assert.equal(await verifier.accepts(wrong), false, wrong);
        }
      }
    });
  }
}

const prepareSign = (algorithm, inputs) =>
  prepare("sign", { algorithm, layer: "primitive", key_use: "parsed-once" }, inputs);

test("witnesses are read from the key", async () => {
  for (const [name, type, bits, curve] of [
    ["RS512", "RSA", 2048, undefined],
    ["ES512", "EC", 521, "P-521"],
    ["Ed448", "OKP", 456, "Ed448"],
    ["HS256", "oct", 512, undefined],
    ["ML-DSA-44", "AKP", 10496, undefined],
  ]) {
    const { witnesses } = await prepareSign(name, inputsFor(name));
    assert.deepEqual([witnesses.key_type, witnesses.key_bits, witnesses.curve], [type, bits, curve]);
  }
});

test("what does not fit is refused", async () => {
  const inputs = inputsFor("ES256");
  for (const name of ["ES384", "RS256", "HS256", "ML-DSA-44"]) {
    await assert.rejects(prepareSign(name, inputs), { status: "failed" });
  }
  await assert.rejects(prepareSign("SLH-DSA", inputs), { status: "skipped" });
  await assert.rejects(prepareSign("ES256", { ...inputs, private_key_pem: "none" }), { status: "failed" });
});

// RFC 8037, appendix A.4: the same signature for the same key and text.
test("a published vector of Ed25519", () => {
  const seed = decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A");
  const pkcs8 = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
  const key = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
  const input = Buffer.from("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc");
  const wanted = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";

  assert.equal(encode(ALGORITHMS.get("EdDSA").sign(key, input)), wanted);
});

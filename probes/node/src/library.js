// Complete tokens by jose, whose signatures are WebCrypto's: they are made on other threads, and promises of them here.
import { errors, importPKCS8, importSPKI, jwtVerify, SignJWT } from "jose";
import { algorithmOf, split } from "./keys.js";
import { failed, skipped, WRONG } from "./kit.js";

const IMPLEMENTATION = "jose/webcrypto/openssl";

export async function library(operation, algorithm, perCall, keys, inputs) {
  const alg = algorithm.jose;
  if (alg === null) throw skipped("not in jose");
  const witnesses = { ...keys.witnesses, implementation: IMPLEMENTATION };
  const keep = (key) => () => key;
  const shared = algorithm.type === "oct";
  const importPublic = () => importSPKI(inputs.public_key_pem, alg);
  const publicKey = shared ? keep(keys.public) : perCall ? importPublic : keep(await importPublic());
  const verifier = (token) => async () => {
    try {
      await jwtVerify(token, await publicKey(), { algorithms: [alg] });
      return 0;
    } catch (error) {
      if (error instanceof errors.JOSEError) return WRONG;
      throw error;
    }
  };
  const common = {
    asynchronous: true,
    witnesses,
    accepts: async (token) => (await verifier(token)()) !== WRONG,
  };
  if (operation === "verify") {
    if (split(inputs.token) === null) throw failed("the input token is no compact JWS");
    return { ...common, run: verifier(inputs.token), readBack: () => ({ alg: algorithmOf(inputs.token) }) };
  }
  const claims = objectOf(inputs.claims);
  const importPrivate = () => importPKCS8(inputs.private_key_pem, alg);
  const privateKey = shared ? keep(keys.private) : perCall ? importPrivate : keep(await importPrivate());
  const artefact = async () =>
    new SignJWT(claims).setProtectedHeader({ alg, typ: "JWT" }).sign(await privateKey());
  return {
    ...common,
    run: async () => (await artefact()).length,
    artefact,
    readBack: (token) => ({ alg: algorithmOf(token) }),
  };
}

function objectOf(text) {
  let claims = null;
  try {
    claims = JSON.parse(text);
  } catch {
    // said below
  }
  if (claims === null || typeof claims !== "object" || Array.isArray(claims)) {
    throw failed("the input claims is no JSON object");
  }
  return claims;
}

// The way from the names in a request to an operation.
import { ALGORITHMS } from "./algorithms.js";
import { keysOf } from "./keys.js";
import { failed, skipped } from "./kit.js";
import { primitive } from "./primitive.js";

const KEY_USES = ["parsed-once", "parsed-per-call"];
export const PARAMETERS = {
  algorithm: [...ALGORITHMS.keys()],
  key_use: KEY_USES,
  layer: ["primitive", "library"],
};

export async function prepare(operation, { algorithm: name, key_use: keyUse, layer }, inputs) {
  const algorithm = ALGORITHMS.get(name);
  if (algorithm === undefined) throw skipped("not in node:crypto"); // others may have it
  if (!KEY_USES.includes(keyUse)) throw failed(`key_use must be ${KEY_USES.join(" or ")}`);
  const keys = keysOf(algorithm, inputs, operation === "sign");
  const perCall = keyUse === "parsed-per-call";
  if (layer === "primitive") return primitive(operation, algorithm, perCall, keys, inputs);
  if (layer !== "library") throw failed("layer must be primitive or library");
  const { library } = await import("./library.js"); // the other layer does not pay for it
  return library(operation, algorithm, perCall, keys, inputs);
}

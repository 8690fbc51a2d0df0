// The Node probe of sectax: times what node:crypto and jose do. It speaks probes/PROTOCOL.md.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { serve } from "./kit.js";
import { PARAMETERS, prepare } from "./prepare.js";
import { OPERATIONS, prepare as ofPrimitives } from "./primitives/index.js";

function versionOf(library) {
  const file = fileURLToPath(new URL(`../node_modules/${library}/package.json`, import.meta.url));
  return JSON.parse(readFileSync(file, "utf8")).version;
}

await serve({
  name: "node",
  version: "1",
  libraries: [
    { name: "openssl", version: process.versions.openssl },
    { name: "jose", version: versionOf("jose") },
  ],
  operations: { sign: PARAMETERS, verify: PARAMETERS, ...OPERATIONS },
  prepare: (operation, ...given) => (operation in OPERATIONS ? ofPrimitives : prepare)(operation, ...given),
});

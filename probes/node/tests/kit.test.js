import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { serve, skipped, WRONG } from "../src/kit.js";

const probe = {
  name: "test",
  version: "1",
  libraries: [],
  operations: { twice: { way: ["right", "wrong"] } },
  prepare(operation, { way }) {
    if (way === "rare") throw skipped("not here");
    if (way === "broken") throw new Error("an accident");
    const asynchronous = way === "later";
    const made = way === "wrong" ? WRONG : 2;
    return { run: asynchronous ? async () => made : () => made, asynchronous, witnesses: {} };
  },
};

async function talk(...lines) {
  const input = new PassThrough();
  const output = new PassThrough();
  input.end(`${lines.join("\n")}\n`);
  await serve(probe, input, output);
  output.end();
  const said = await output.toArray();
  return Buffer.concat(said).toString().trim().split("\n").map(JSON.parse);
}

const prepare = (way) =>
  JSON.stringify({ seq: 1, command: "prepare", operation: "twice", parameters: { way } });
const HELLO = '{"seq": 10, "command": "hello", "protocol": 1}';

for (const way of ["right", "later"]) {
  test(`a batch is counted and timed: ${way}`, async () => {
    const [, batch, singles] = await talk(
      prepare(way),
      '{"seq": 2, "command": "measure", "count": 7, "settle": 3}',
      '{"seq": 3, "command": "measure", "count": 7, "each": true}',
    );

    assert.deepEqual([batch.count, batch.bytes, batch.failures, batch.elapsed_ns.length], [7, 14, 0, 1]);
    assert.ok(batch.cpu_ns >= 0);
    assert.deepEqual([singles.elapsed_ns.length, singles.cpu_ns], [7, undefined]);
  });
}

test("wrong results are failures", async () => {
  const [, reply] = await talk(prepare("wrong"), '{"seq": 2, "command": "measure", "count": 5, "settle": 2}');

  assert.equal(reply.failures, 5);
});

const REFUSED = [
  ['{"seq": 9, "command": "measure", "count": 1}', "failed"],
  ['{"seq": 9, "command": "witness"}', "failed"],
  ['{"seq": 9, "command": "hello", "protocol": 2}', "failed"],
  ['{"seq": 9, "command": "dance"}', "failed"],
  ['{"seq": 9, "command": "toString"}', "failed"],
  ['{"seq": 9, "command": "prepare", "operation": "thrice"}', "failed"],
  ['{"seq": 9, "command": "prepare", "operation": "twice", "parameters": {"size": "1"}}', "failed"],
  ['{"seq": 9, "command": "prepare", "operation": "twice", "parameters": {"way": 1}}', "failed"],
  [prepare("rare"), "skipped"],
  [prepare("broken"), "failed"],
  ['{"seq": "9"}', "failed"],
  ["null", "failed"],
  ["{", "failed"],
];
for (const [line, status] of REFUSED) {
  test(`refused, and the conversation goes on: ${line}`, async () => {
    const [refusal, hello] = await talk(line, HELLO);

    assert.equal(refusal.status, status);
    assert.ok(refusal.reason);
    assert.equal(hello.status, "ok");
  });
}

for (const members of [
  '"count": 0',
  '"count": 1, "settle": -1',
  '"count": 1000001, "each": true',
  '"count": 1.5',
]) {
  test(`counts out of bounds are refused: ${members}`, async () => {
    const [, reply] = await talk(prepare("right"), `{"seq": 2, "command": "measure", ${members}}`);

    assert.equal(reply.status, "failed");
  });
}

test("a refused prepare leaves nothing to measure", async () => {
  const replies = await talk(
    prepare("right"),
    prepare("rare"),
    '{"seq": 3, "command": "measure", "count": 1}',
  );

  assert.equal(replies[2].status, "failed");
});

test("stop ends the conversation", async () => {
  const replies = await talk('{"seq": 1, "command": "stop"}', HELLO);

  assert.deepEqual(replies, [{ seq: 1, status: "ok" }]);
});

test("clocks have steps and costs", async () => {
  const [hello] = await talk(HELLO);

  for (const clock of [hello.clock, hello.cpu_clock]) {
    assert.ok(clock.granularity_ns >= 1 && clock.read_ns < 1e6, JSON.stringify(clock));
  }
});

// What every probe in Node repeats: the conversation of probes/PROTOCOL.md, the clocks and the batches.
// What is measured comes from the probe, as operations:
//
//   run()              what is timed: gives the bytes that it made, or WRONG where its result was not right
//   asynchronous       true where run gives a promise
//   witnesses          read back from the real thing
//   artefact()         a fresh product of the code that is timed, or a promise of it; absent where it makes none
//   accepts(artefact)  whether that code, or its counterpart, finds it genuine; may be a promise
//   readBack(artefact) witnesses of the artefact, or of the input where none is made
import { createInterface } from "node:readline";

export const WRONG = -1;
const LONGEST_LINE = 16 * 1024 * 1024;
const MOST_SINGLES = 1_000_000; // as many timings of ten digits are 11 MB of reply

/** Ends a request, not the probe; never quotes an input, which may be a key. */
export class Refusal extends Error {
  constructor(status, reason) {
    super(reason);
    this.status = status;
  }
}

/** This cannot be had here. */
export const skipped = (reason) => new Refusal("skipped", reason);
/** The request is wrong, or went wrong. */
export const failed = (reason) => new Refusal("failed", reason);

const wallTime = () => Number(process.hrtime.bigint());

/** Of all threads, in whole microseconds: the compiler's, the garbage collector's and those of WebCrypto too. */
function cpuTime() {
  const used = process.cpuUsage();
  return (used.user + used.system) * 1000;
}

/** The smallest step above zero of a clock, and the cost of a reading: their median, or the mean where steps are coarse. */
function describe(name, read, readings) {
  const seen = Array.from({ length: readings }, read);
  const steps = seen.slice(1).map((reading, index) => reading - seen[index]);
  const sorted = steps.sort((a, b) => a - b);
  const median = sorted[readings >> 1];
  const mean = Math.round((seen.at(-1) - seen[0]) / readings);
  return { name, granularity_ns: sorted.find((step) => step > 0), read_ns: median || mean };
}

// The CPU clock is read outside, since a reading of it takes longer.
function batch(run, count) {
  let failures = 0;
  let bytes = 0;
  const cpuBefore = cpuTime();
  const before = process.hrtime.bigint();
  for (let index = 0; index < count; index++) {
    const made = run();
    if (made === WRONG) failures++;
    else bytes += made;
  }
  const elapsed = Number(process.hrtime.bigint() - before);
  return { elapsed, cpu: cpuTime() - cpuBefore, failures, bytes };
}

async function awaitedBatch(run, count) {
  let failures = 0;
  let bytes = 0;
  const cpuBefore = cpuTime();
  const before = process.hrtime.bigint();
  for (let index = 0; index < count; index++) {
    const made = await run();
    if (made === WRONG) failures++;
    else bytes += made;
  }
  const elapsed = Number(process.hrtime.bigint() - before);
  return { elapsed, cpu: cpuTime() - cpuBefore, failures, bytes };
}

async function measure(live, { count, settle = 0, each = false }) {
  const counts = Number.isSafeInteger(count) && Number.isSafeInteger(settle);
  if (!counts || count < 1 || settle < 0 || typeof each !== "boolean" || (each && count > MOST_SINGLES)) {
    throw failed(`count must be at least 1, settle 0; one by one at most ${MOST_SINGLES}`);
  }
  const timed = live.asynchronous ? awaitedBatch : batch;
  await timed(live.run, settle);
  const size = each ? 1 : count;
  const seen = [];
  for (let done = 0; done < count; done += size) seen.push(await timed(live.run, size));
  const sum = (name) => seen.reduce((total, one) => total + one[name], 0);
  const reply = {
    count,
    elapsed_ns: seen.map((one) => one.elapsed),
    failures: sum("failures"),
    bytes: sum("bytes"),
  };
  return each ? reply : { ...reply, cpu_ns: seen[0].cpu };
}

async function witness(live, { present = [] }) {
  const artefact = live.artefact ? await live.artefact() : null;
  const accepted = [];
  for (const shown of texts(present, "present"))
    accepted.push(live.accepts ? await live.accepts(shown) : false);
  return { witnesses: live.readBack?.(artefact) ?? {}, artefact, accepted };
}

function texts(values, name) {
  if (
    !values ||
    typeof values !== "object" ||
    !Object.values(values).every((value) => typeof value === "string")
  ) {
    throw failed(`\`${name}\` must hold texts`);
  }
  return values;
}

/**
 * Answers one request a line until stop or the end of the input.
 *
 * probe: name, version, libraries ([{name, version}]), operations ({name: {parameter: [value]}}), and
 * prepare(operation, parameters, inputs), which gives an operation or a promise of it. `empty` is the kit's own.
 */
export async function serve(probe, input = process.stdin, output = process.stdout) {
  console.log = console.error; // nothing but replies on stdout
  let live = null;
  let stopped = false;
  const commands = {
    hello({ protocol }) {
      if (protocol !== 1) throw failed("this probe speaks protocol 1 alone");
      const operations = Object.entries({ empty: {}, ...probe.operations });
      return {
        protocol: 1,
        probe: { name: probe.name, version: probe.version },
        runtime: { name: "Node", version: process.versions.node },
        libraries: probe.libraries,
        operations: operations.map(([name, parameters]) => ({ name, parameters })),
        clock: describe("process.hrtime", wallTime, 2000),
        cpu_clock: describe("process.cpuUsage", cpuTime, 10_000),
      };
    },
    async prepare({ operation, parameters = {}, inputs = {} }) {
      live = null; // whatever comes of it, a later measure must not time what was live before
      if (operation === "empty") {
        live = { run: () => 0, witnesses: {} };
        return { witnesses: {} };
      }
      const known = Object.hasOwn(probe.operations, operation) ? probe.operations[operation] : null;
      if (known === null) throw failed("an unknown operation");
      // A parameter passed over in silence would be a mislabelled measurement.
      const unknown = Object.keys(texts(parameters, "parameters")).some(
        (name) => !Object.hasOwn(known, name),
      );
      if (unknown) throw failed("an unknown parameter");
      live = await probe.prepare(operation, parameters, texts(inputs, "inputs"));
      return { witnesses: live.witnesses };
    },
    witness: (request) => witness(prepared(live), request),
    measure: (request) => measure(prepared(live), request),
    stop() {
      stopped = true;
      return {};
    },
  };
  output.on?.("error", () => process.exit(1)); // nobody reads any more
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    const reply = await answer(commands, line);
    output.write(`${JSON.stringify(reply)}\n`);
    if (stopped) break;
  }
  input.destroy(); // an open stdin would keep the process alive
}

function prepared(live) {
  if (live === null) throw failed("nothing is prepared");
  return live;
}

async function answer(commands, line) {
  let seq = null;
  try {
    if (line.length > LONGEST_LINE) throw failed("a request of more than 16 MiB");
    const request = parsed(line);
    if (!Number.isSafeInteger(request?.seq)) throw failed("`seq` must be an integer");
    seq = request.seq;
    if (!Object.hasOwn(commands, request.command)) {
      throw failed(`unknown command: ${Object.keys(commands).join(", ")} are known`);
    }
    return { seq, status: "ok", ...(await commands[request.command](request)) };
  } catch (error) {
    if (error instanceof Refusal) return { seq, status: error.status, reason: error.message };
    console.error(error);
    return { seq, status: "failed", reason: `${error.name}: ${error.message}` };
  }
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    throw failed("a request that is no JSON"); // its own message would quote the line
  }
}

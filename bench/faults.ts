/**
 * How soon a fault can be seen from outside after its engine was created, and how soon it is gone after the engine was stopped; fault
 * by fault, on an embedded cluster with isolated pods, as root.
 *
 *   npm run bench:faults [-- --rounds 10] [--family pod-network-loss …] [--idle 80] [--strict] [--json FILE]
 *
 * With `--strict` it ends with code 1 when a bar is missed; with `--idle` each round waits until so many percent of the CPUs are idle.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { effectsImpossible, FaultCluster } from '../test/faults/support/fault-cluster.ts';
import { FAMILIES } from './faults/families.ts';
import { untilIdle } from './faults/idle.ts';
import { figuresOf, type Outcome, printOutcomes } from './faults/print.ts';
import { measureRound } from './faults/round.ts';
import { writeJson } from './report.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    idle: { type: 'string', default: '0' },
    family: { type: 'string', multiple: true, default: [] },
    strict: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});
const rounds = Number(values.rounds);
const idle = Number(values.idle);
const known = FAMILIES.map(({ fault }) => fault);
const unknown = values.family.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  throw new RangeError(`--family ${unknown.join(', ')}: not measured here; known: ${known.join(', ')}`);
}
if (effectsImpossible !== false) throw new Error(effectsImpossible);

const load = (): string => `load ${loadavg()[0]?.toFixed(1)}`;
const outcomes: Outcome[] = [];
const stopped = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => stopped.abort(new Error(`stopped by ${name}`)));
}
await using stack = new AsyncDisposableStack();
const cluster = await FaultCluster.detached();
stack.defer(() => cluster.close());
for (const family of FAMILIES) {
  if (values.family.length > 0 && !values.family.includes(family.fault)) continue;
  // The first run fills caches on disk (stripped types, compiled code); users pay for it once per installation.
  await measureRound(cluster, family, stopped.signal);
  const measured = [];
  for (let round = 0; round < rounds; round += 1) {
    if (idle > 0) await untilIdle(idle, stopped.signal);
    measured.push(await measureRound(cluster, family, stopped.signal));
  }
  outcomes.push({ family, rounds: measured });
  console.error(`${family.fault}: ${rounds} rounds, ${load()}`);
}
console.log(`\n${rounds} rounds each, in milliseconds; ${load()} at the end\n`);
printOutcomes(outcomes);
const figures = outcomes.map((outcome) => ({ fault: outcome.family.fault, ...figuresOf(outcome) }));
await writeJson(values.json, {
  benchmark: 'faults',
  rounds,
  unit: 'ms',
  figures,
  samples: outcomes.map(({ family, rounds: all }) => ({ fault: family.fault, rounds: all })),
});
if (values.strict && figures.some(({ missed }) => missed.length > 0)) process.exitCode = 1;

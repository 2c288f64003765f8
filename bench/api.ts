/**
 * The API server under load, beside a real kube-apiserver and etcd where these are installed.
 *
 * One load generator, the same code for both, over TLS with the credentials of a kubeconfig: 16 clients, each with a
 * connection of its own that is kept. The embedded cluster runs in a process of its own, started by `turnsole up`.
 * Rounds alternate between the servers, so that whatever else the machine does hits both; figures are medians.
 *
 *   npm run bench:api [-- --rounds 3] [--seconds 2] [--starts 5] [--json FILE]
 *   npm run bench:api -- --peer KUBECONFIG    beside a cluster that runs already
 *   npm run bench:api -- --rig DIR            beside one that DIR/up.sh control-plane starts and DIR/down.sh stops
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CONFIG_MAP } from './api/objects.ts';
import type { Outcome } from './api/outcome.ts';
import { cpuSeconds, residentMegabytes } from './api/process.ts';
import { printReport } from './api/report.ts';
import { type Bench, measureRound, openBench, type Round } from './api/round.ts';
import { connectPeer, startEmbedded, startRig, type Target } from './api/target.ts';
import { type FanOut, measureFanOut } from './api/watch.ts';
import { writeJson } from './report.ts';

const CLIENTS = 16;
const SETTLE_MS = 2_000;
const IDLE_MS = 5_000;
/** A real server is not asked for as many: it would only show that two cores are not enough. */
const WATCHERS = { embedded: 1_000, peer: 100 } as const;
/** So that every fan-out is 100,000 events. */
const FAN_OUT_EVENTS = 100_000;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '2' },
      starts: { type: 'string', default: '5' },
      peer: { type: 'string' },
      rig: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const starts: Target[] = [];
  for (let start = 1; start < Number(values.starts); start += 1) {
    const target = await startEmbedded();
    starts.push(target);
    await target.stop();
  }
  await using stack = new AsyncDisposableStack();
  // A user who stops the benchmark does not want its servers to stay.
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => void stack.disposeAsync().finally(() => process.exit(130)));
  const targets: Target[] = [];
  const add = (target: Target): void => {
    stack.defer(() => target.stop());
    targets.push(target);
  };
  add(await startEmbedded());
  if (values.peer !== undefined) add(await connectPeer(values.peer));
  else if (values.rig !== undefined) add(await startRig(values.rig));
  else console.log('no --peer and no --rig: the embedded cluster alone, nothing to compare with');
  const idle: Idle[] = [];
  for (const target of targets) idle.push(await measureIdle(target));
  const benches: Bench[] = [];
  for (const target of targets) benches.push(await openBench(target, CLIENTS));
  const rounds = benches.map((): Round[] => []);
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const [index, bench] of benches.entries()) {
      const durationMs = Number(values.seconds) * 1000;
      rounds[index]?.push(await measureRound(bench, durationMs, round));
      console.log(`round ${round + 1} of ${values.rounds}: ${bench.target.title}`);
    }
  }
  const outcomes: Outcome[] = [];
  for (const [index, bench] of benches.entries()) {
    const { target } = bench;
    const isOurs = target.saidMs !== undefined;
    const started = isOurs ? [...starts, target] : [target];
    outcomes.push({
      title: target.title,
      startMs: started.flatMap(({ startMs }) => startMs ?? []),
      saidMs: started.flatMap(({ saidMs }) => saidMs ?? []),
      ...(idle[index] ?? UNKNOWN_IDLE),
      loadedMegabytes: residentMegabytes(target.pids),
      rounds: rounds[index] ?? [],
      fanOut: await fanOut(bench, isOurs ? WATCHERS.embedded : WATCHERS.peer),
    });
    await bench.close();
  }
  printReport(outcomes);
  await writeJson(values.json, {
    benchmark: 'api',
    clients: CLIENTS,
    seconds: Number(values.seconds),
    outcomes,
  });
}

type Idle = Pick<Outcome, 'idleMegabytes' | 'idleCpu'>;
const UNKNOWN_IDLE: Idle = { idleMegabytes: 0, idleCpu: undefined };

/** What a server costs that gets no requests. */
async function measureIdle({ pids }: Target): Promise<Idle> {
  if (pids.length === 0) return UNKNOWN_IDLE;
  await sleep(SETTLE_MS);
  const before = cpuSeconds(pids);
  await sleep(IDLE_MS);
  const idleCpu = (cpuSeconds(pids) - before) / (IDLE_MS / 1000);
  return { idleMegabytes: residentMegabytes(pids), idleCpu };
}

function fanOut(bench: Bench, watchers: number): Promise<FanOut> {
  return measureFanOut(bench.target.config, {
    writers: bench.clients,
    collection: bench.collection(CONFIG_MAP),
    subject: CONFIG_MAP,
    watchers,
    writes: Math.ceil(FAN_OUT_EVENTS / watchers),
    prefix: 'fan-out',
  });
}

await main();

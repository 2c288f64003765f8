/**
 * Runs whose API server is away for 20 to 25 seconds in the middle: its process is killed and started again, or it is frozen. They end with
 * the verdict that the application deserves. Takes a rig, whose scripts start what does not run; alone, as nothing works meanwhile.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isOpen } from '../../src/api/index.ts';
import { record } from './support/figures.ts';
import { noCluster } from './support/settings.ts';
import { type App, type EngineInput, type EngineRun, Shop } from './support/shop.ts';

const { KUBE_RIG: SCRIPTS = '', RIG_DIR = '/tmp/kube-rig' } = process.env;
/** A killed one is away for the time of its start as well. */
const OUTAGES = [
  { what: 'killed', downMs: 10_000 },
  { what: 'frozen', downMs: 20_000 },
  { what: 'killed', downMs: 12_000 },
  { what: 'frozen', downMs: 25_000 },
] as const;
/** A single request is tried for half a minute: in a longer outage a lease may rightly end, and with it the run. */
const LONGEST_MS = 28_000;
/** Of chaos before the outage begins, so that every kind of wait is under way. */
const BEFORE_MS = 8_000;

const HELD = { TOTAL_CHAOS_DURATION: '60' } as const;
const ROUNDS = { TOTAL_CHAOS_DURATION: '60', CHAOS_INTERVAL: '10' } as const;
const FAILING = {
  name: 'never-right',
  type: 'cmdProbe',
  mode: 'EOT',
  runProperties: { probeTimeout: '5s', interval: '1s', retry: 1 },
  'cmdProbe/inputs': {
    command: 'echo no',
    comparator: { type: 'string', criteria: 'equal', value: 'yes' },
  },
};

/** What runs at once in each outage, and what it deserves. */
const RUNS: readonly (Omit<EngineInput, 'app'> & { readonly deserves: string })[] = [
  { fault: 'pod-delete', env: ROUNDS, deserves: 'Pass' },
  { fault: 'container-kill', env: ROUNDS, deserves: 'Pass' },
  { fault: 'pod-cpu-hog', env: { ...HELD, CPU_CORES: '1', CPU_LOAD: '5' }, deserves: 'Pass' },
  { fault: 'pod-network-loss', env: HELD, deserves: 'Pass' },
  { fault: 'pod-delete', env: ROUNDS, experiment: { probe: [FAILING] }, deserves: 'Fail' },
];

interface Outcome {
  readonly fault: string;
  readonly verdict: string | undefined;
  readonly reason: string | undefined;
  /** Injections of the ledger that are not reverted. */
  readonly open: number;
}

const SHORT_MS = LONGEST_MS;
const LONG_MS = LONGEST_MS + 1;
const JUDGED: readonly [
  name: string,
  outcome: Omit<Outcome, 'fault'>,
  deserves: string,
  awayMs: number,
  isRight: boolean,
][] = [
  ['deserved', { verdict: 'Pass', reason: undefined, open: 0 }, 'Pass', SHORT_MS, true],
  ['deserved, after a long outage', { verdict: 'Fail', reason: 'probe', open: 0 }, 'Fail', LONG_MS, true],
  ['an error', { verdict: 'Error', reason: 'no answer', open: 0 }, 'Pass', SHORT_MS, false],
  ['an error after a long outage', { verdict: 'Error', reason: 'no answer', open: 0 }, 'Pass', LONG_MS, true],
  [
    'an error that nothing explains',
    { verdict: 'Error', reason: undefined, open: 0 },
    'Pass',
    LONG_MS,
    false,
  ],
  ['a false Pass', { verdict: 'Pass', reason: undefined, open: 0 }, 'Fail', LONG_MS, false],
  ['a false Fail', { verdict: 'Fail', reason: 'probe', open: 0 }, 'Pass', LONG_MS, false],
  ['not reverted', { verdict: 'Error', reason: 'no answer', open: 1 }, 'Pass', LONG_MS, false],
];

for (const [name, outcome, deserves, awayMs, isRight] of JUDGED)
  it(`how an outcome is judged: ${name}`, () => {
    assert.equal(wrongOf({ fault: 'pod-delete', ...outcome }, deserves, awayMs) === undefined, isRight);
  });

const isRig = SCRIPTS !== '' && noCluster === false;

describe('outages of the API server', { skip: isRig ? false : 'takes a rig: KUBE_RIG' }, () => {
  let shop: Shop;
  let apps: App[];
  before(async () => {
    shop = await Shop.open();
    apps = await Promise.all(RUNS.map(() => shop.app()));
  });
  after(async () => {
    await Promise.all((apps ?? []).map((app) => shop.removeApp(app)));
    // Kubelets take their time for pods; what comes next may want the node for itself.
    await Promise.all((apps ?? []).map((app) => shop.appGone(app)));
    shop?.close();
  });

  for (const [time, { what, downMs }] of OUTAGES.entries()) {
    it(`${what} for ${downMs / 1000} s (${time + 1}): every run has the verdict that its application deserves`, async (test) => {
      const runs = await Promise.all(RUNS.map((input, index) => shop.run({ ...input, app: appOf(index) })));
      await Promise.all(runs.map((run) => run.injected()));
      await delay(BEFORE_MS);
      const awayMs = await outage(what, downMs);
      record({ title: `API server ${what}: away`, ms: awayMs });
      const outcomes = await Promise.all(runs.map(outcomeOf));
      test.diagnostic(`away for ${(awayMs / 1000).toFixed(1)} s`);
      const wrong = RUNS.map(({ deserves }, index) => wrongOf(outcomes[index], deserves, awayMs));
      assert.deepEqual(
        wrong.filter((text) => text !== undefined),
        [],
      );
    });
  }

  function appOf(index: number): App {
    const app = apps[index];
    assert.ok(app);
    return app;
  }
});

/** Resolves when the API server is ready again, to how long it was away. */
async function outage(what: 'killed' | 'frozen', downMs: number): Promise<number> {
  const pid = Number(await readFile(join(RIG_DIR, 'apiserver.pid'), 'utf8'));
  assert.ok(pid > 1, 'the rig says which process its API server is');
  const from = performance.now();
  process.kill(pid, what === 'killed' ? 'SIGKILL' : 'SIGSTOP');
  await delay(downMs);
  if (what === 'frozen') process.kill(pid, 'SIGCONT');
  // What else the machine has to do is not to make the outage longer.
  else await promisify(execFile)('nice', ['-n', '-15', join(SCRIPTS, 'up.sh'), 'control-plane']);
  return performance.now() - from;
}

async function outcomeOf(run: EngineRun): Promise<Outcome> {
  const engine = await run.ended();
  const { status } = await run.result();
  const [entry] = engine.status?.experiments ?? [];
  const open = Object.values(status?.ledger ?? {}).filter(isOpen).length;
  return { fault: run.fault, verdict: entry?.verdict, reason: entry?.reason, open };
}

/**
 * What is wrong with the outcome of a run, or undefined. Everything must be reverted, and the verdict be the one that the application
 * deserves; after too long an outage it may be an Error instead, with a reason. Pure.
 */
function wrongOf(outcome: Outcome | undefined, deserves: string, awayMs: number): string | undefined {
  if (outcome === undefined) return 'a run has no outcome';
  const { fault, verdict, reason = '', open } = outcome;
  const isExcused = awayMs > LONGEST_MS && verdict === 'Error' && reason !== '';
  if (open === 0 && (verdict === deserves || isExcused)) return undefined;
  return `${fault}: ${verdict} (${reason}), ${open} open; it deserves ${deserves}`;
}

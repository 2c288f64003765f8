import type { KubeClient } from '@turnsole/kube/client/types';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { parse, stringify } from 'yaml';
import {
  CHAOS_ENGINES,
  CHAOS_EXPERIMENTS,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosExperiment,
  type ChaosResult,
} from '../../src/api/index.ts';
import { faultNameOf } from '../../src/chaos/fault-name.ts';
import { compileSettings } from '../../src/experiment/injection/settings/compile-settings.ts';
import { checkNode } from '../../src/experiment/node/check-node.ts';
import { NodeError } from '../../src/experiment/node/node-error.ts';
import { experimentEnvironment } from '../../src/experiment/plan/experiment-env.ts';
import { faultRegistry } from '../../src/faults/index.ts';
import { chartManifests } from '../support/charts.ts';
import { applyText, detachedCluster } from '../support/up.ts';
import type { ChartRun, Expectation } from './expectations.ts';

/** How a run of a chart ended. */
export interface ChartOutcome {
  readonly run: ChartRun;
  readonly state: 'as expected' | 'not as expected' | 'fault not there yet';
  readonly verdict: string;
  /** What was expected and why, or what was found instead. */
  readonly why: string;
  readonly seconds: number;
}

/** How charts are run. */
export interface ChartOptions {
  /** Replaces TOTAL_CHAOS_DURATION: then the chart is no longer unmodified. */
  readonly durationSeconds?: number;
  readonly isolation: 'auto' | 'full';
}

/** Longest time beside the duration itself: start, checks, recovery, on a busy machine. */
const EXTRA_MS = 240_000;

/** Something to hit: three pods that serve on port 80, with a limit of storage for disk-fill. */
const APPLICATION = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, labels: { app: web } }
spec:
  replicas: 3
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      terminationGracePeriodSeconds: 2
      containers:
        - name: web
          image: turnsole/sample-web
          env: [{ name: DRAIN_MS, value: '100' }, { name: PORT, value: '80' }]
          ports: [{ name: http, containerPort: 80 }]
          resources: { limits: { ephemeral-storage: 100Mi, memory: 1Gi } }
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec:
  selector: { app: web }
  ports: [{ port: 80, targetPort: http }]
`;

/** What charts of ssh name, and expect their user to have made. */
const PREREQUISITES = `
apiVersion: v1
kind: Secret
metadata: { name: id-rsa }
stringData: { ssh-privatekey: none }
`;

/** Runs a chart's own files on a cluster of its own with three nodes, and judges how it ended. */
export async function runChart(run: ChartRun, options: ChartOptions): Promise<ChartOutcome> {
  const files = await chartManifests(run.chart);
  const fault = faultNameOf(parse(files.fault) as ChaosExperiment);
  if (!faultRegistry.has(fault)) {
    return { run, state: 'fault not there yet', verdict: '-', why: `there is no fault ${fault}`, seconds: 0 };
  }
  await using cluster = await detachedCluster(['--nodes', '3', '--isolation', options.isolation]);
  const { client } = cluster;
  await applyText(client, [APPLICATION, PREREQUISITES].join('---\n'));
  await applyText(client, [files.fault, files.rbac].join('\n---\n'));
  const engine = changed(parse(files.engine) as ChaosEngine, run.filled, options.durationSeconds);
  const startedAt = performance.now();
  await applyText(client, stringify(engine));
  const { namespace = 'default', name } = engine.metadata;
  const [entry] = engine.spec.experiments;
  const experimentName = entry?.name ?? '';
  const experiment = await client.get<ChaosExperiment>(CHAOS_EXPERIMENTS, experimentName, { namespace });
  const { env } = experimentEnvironment(engine, experiment, entry ?? { name: '' });
  const obstacle = await obstacleOf(fault, env);
  const timeoutMs = Number(env.TOTAL_CHAOS_DURATION ?? 60) * 1000 + EXTRA_MS;
  const ended = await waitForObject<ChaosEngine>(
    client,
    CHAOS_ENGINES,
    name,
    (seen) => seen?.status?.engineStatus === 'completed' || seen?.status?.engineStatus === 'stopped',
    { namespace, timeoutMs },
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const result = await resultOf(client, namespace, `${name}-${experimentName}`);
  const expected = run.expected.verdict === 'Pass' && obstacle !== undefined ? obstacle : run.expected;
  const judged = judge(result, expected);
  // Without a result, only the engine knows what became of the run.
  return {
    run,
    seconds,
    ...judged,
    why: result === undefined ? `${judged.why}; ${reportOf(ended)}` : judged.why,
  };
}

function reportOf(engine: ChaosEngine | undefined): string {
  const status = engine?.status;
  const reasons = status?.experiments?.map(({ reason, status: state }) => reason ?? state) ?? [];
  const conditions = status?.conditions?.map(({ reason, message }) => `${reason}: ${message}`) ?? [];
  const last = status?.timeline?.slice(-3).map(({ step, message }) => `${step}: ${message}`) ?? [];
  return ['the engine says', ...reasons, ...conditions, ...last].join(' | ');
}

/** The engine with what a user would fill in. */
function changed(
  engine: ChaosEngine,
  filled: Readonly<Record<string, string>> = {},
  durationSeconds: number | undefined,
): ChaosEngine {
  const values = {
    ...filled,
    ...(durationSeconds === undefined ? {} : { TOTAL_CHAOS_DURATION: String(durationSeconds) }),
  };
  if (Object.keys(values).length === 0) return engine;
  const experiments = engine.spec.experiments.map((entry) => {
    const components = entry.spec?.components;
    const others = (components?.env ?? []).filter((variable) => !(variable.name in values));
    const own = Object.entries(values).map(([variable, value]) => ({ name: variable, value }));
    return { ...entry, spec: { ...entry.spec, components: { ...components, env: [...others, ...own] } } };
  });
  return { ...engine, spec: { ...engine.spec, experiments } };
}

/** What keeps this machine from doing the fault, as what the chart then deserves. */
async function obstacleOf(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Expectation | undefined> {
  const fault = await faultRegistry.get(name)?.();
  if (fault === undefined || fault.where !== 'node') return undefined;
  const { settings } = compileSettings(fault, env, Math.random);
  try {
    await checkNode(fault, settings.tunables, new AbortController().signal);
    return undefined;
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return { verdict: 'Error', reason: /./, because: `this machine does not allow it: ${error.message}` };
  }
}

async function resultOf(
  client: KubeClient,
  namespace: string,
  name: string,
): Promise<ChaosResult | undefined> {
  return client.find<ChaosResult>(CHAOS_RESULTS, name, { namespace });
}

/** Compares a result with what it had to be. Pure. */
export function judge(
  result: ChaosResult | undefined,
  expected: Expectation,
): Pick<ChartOutcome, 'state' | 'verdict' | 'why'> {
  const { verdict = 'none', errorOutput } = result?.status?.experimentStatus ?? {};
  const said = errorOutput === undefined ? '' : `${errorOutput.errorCode}: ${errorOutput.reason}`;
  const open = Object.values(result?.status?.ledger ?? {}).filter(({ state }) =>
    ['planned', 'injected', 'reverting'].includes(state),
  );
  const isExpected =
    verdict === expected.verdict &&
    (expected.reason === undefined || expected.reason.test(said)) &&
    open.length === 0;
  if (isExpected) return { state: 'as expected', verdict, why: expected.because };
  const left = open.length === 0 ? '' : `; ${open.length} ledger entries are open`;
  return {
    state: 'not as expected',
    verdict,
    why: `expected ${expected.verdict} (${expected.because}); found ${said === '' ? verdict : said}${left}`,
  };
}

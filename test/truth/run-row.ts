/** Runs a row in a namespace of its own, beside others, and judges it. */
import { randomUUID } from 'node:crypto';
import type { Service } from '@turnsole/kube/kinds/core';
import { SERVICES } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { until } from '@turnsole/kube/testing/until';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosResult,
  type LedgerEntry,
} from '../../src/api/index.ts';
import { APP_PORT, manifestsOf } from './application.ts';
import { type Evidence, type Judged, judge } from './judge.ts';
import { Observer } from './observer.ts';
import type { Observed } from './observer-log.ts';
import type { Observation, Row } from './row.ts';
import { runWorkflow } from './run-workflow.ts';
import { ACCOUNT, type Stage } from './stage.ts';

/** How a row ended. */
export interface Outcome extends Judged {
  readonly row: Row;
  readonly seconds: number;
}

/** Longest time beside the chaos: starts, checks and recovery on a machine with much other work. */
const EXTRA_MS = 600_000;
const DEFAULT_EVERY_MS = 10;
const DEFAULT_LIMIT_MS = 1000;

/** How a row is run. */
export interface RunOptions {
  /** Whether the machine has other work beside the suite's; asked at the end. */
  readonly isLoaded: () => boolean;
  /** Whether there is an observer: on a loaded machine there would be nothing to compare. */
  readonly isMeasured: boolean;
}

export async function runRow(row: Row, stage: Stage, options: RunOptions): Promise<Outcome> {
  const startedAt = performance.now();
  const nodes = await stage.lend(row.nodes ?? 0);
  const namespace = `t-${randomUUID().slice(0, 8)}`;
  try {
    const judged = await judgedRun(placed(row, namespace, nodes), stage, namespace, options);
    return { row, ...judged, seconds: (performance.now() - startedAt) / 1000 };
  } finally {
    await stage.close(namespace);
    await stage.giveBack(nodes);
  }
}

async function judgedRun(
  row: Row,
  stage: Stage,
  namespace: string,
  { isLoaded, isMeasured }: RunOptions,
): Promise<Judged> {
  await stage.open(namespace, row.fault);
  await stage.apply(namespace, [...(row.objects ?? []), ...row.applications.flatMap(manifestsOf)]);
  if (row.orders !== undefined) await placeOrders(stage, namespace, row.orders);
  await using observer = await observerOf(isMeasured ? row.observed : undefined, stage, namespace);
  const evidence =
    row.workflow === undefined
      ? await runEngine(row, stage, namespace)
      : await runWorkflow(row.workflow, stage, namespace);
  const observed: readonly Observed[] = (await observer?.log()) ?? [];
  return judge(row, { ...evidence, observed }, isLoaded());
}

async function runEngine(row: Row, stage: Stage, namespace: string): Promise<Omit<Evidence, 'observed'>> {
  const { client } = stage;
  await client.create<ChaosEngine>(CHAOS_ENGINES, engineOf(row, namespace), { namespace });
  const timeoutMs = 1000 * Number(row.env.TOTAL_CHAOS_DURATION) + EXTRA_MS;
  const result = `${ENGINE}-${row.fault}`;
  const deed = row.during === undefined ? undefined : doDuring(row, stage, namespace, result, timeoutMs);
  const engine = await waitForObject<ChaosEngine>(client, CHAOS_ENGINES, ENGINE, isOver, {
    namespace,
    timeoutMs,
  });
  await deed;
  return {
    result: await client.find<ChaosResult>(CHAOS_RESULTS, result, { namespace }),
    reasons: reasonsOf(engine),
  };
}

const ENGINE = 'run';

function isOver(engine: ChaosEngine | undefined): boolean {
  return engine?.status?.engineStatus === 'completed' || engine?.status?.engineStatus === 'stopped';
}

function reasonsOf(engine: ChaosEngine | undefined): string[] {
  const ofExperiments = (engine?.status?.experiments ?? []).map(({ status, reason }) => reason ?? status);
  const conditions = (engine?.status?.conditions ?? []).map(({ reason, message }) => `${reason}: ${message}`);
  return [...ofExperiments, ...conditions];
}

function engineOf(row: Row, namespace: string) {
  const env = Object.entries(row.env).map(([name, value]) => ({ name, value }));
  const appinfo =
    row.target === undefined
      ? {}
      : { appinfo: { appns: namespace, applabel: `app=${row.target}`, appkind: 'deployment' as const } };
  return {
    metadata: { name: ENGINE },
    spec: {
      engineState: 'active' as const,
      chaosServiceAccount: ACCOUNT,
      jobCleanUpPolicy: 'delete' as const,
      ...appinfo,
      experiments: [{ name: row.fault, spec: { components: { env }, probe: [...row.probes] } }],
      ...row.engine,
    },
  };
}

/** The row with the names of its namespace and nodes in its texts. */
function placed(row: Row, namespace: string, nodes: readonly string[]): Row {
  const replaced = <T>(value: T): T => {
    const text = JSON.stringify(value).replaceAll('{namespace}', namespace);
    return JSON.parse(text.replaceAll(/\{node-(\d+)\}/g, (_, index) => nodes[Number(index) - 1] ?? '')) as T;
  };
  const { applications, env, probes, engine = {}, objects = [], workflow } = row;
  return { ...row, ...replaced({ applications, env, probes, engine, objects, workflow }) };
}

async function addressOf(stage: Stage, namespace: string, application: string): Promise<string> {
  const service = await stage.client.get<Service>(SERVICES, application, { namespace });
  return `http://${service.spec?.clusterIP}:${APP_PORT}/`;
}

async function placeOrders(
  stage: Stage,
  namespace: string,
  { application, count }: NonNullable<Row['orders']>,
): Promise<void> {
  const address = await addressOf(stage, namespace, application);
  for (let order = 0; order < count; order += 1) {
    // The Service of pods that are ready may learn of them a little later.
    await until(async () => {
      const response = await fetch(address, { method: 'PUT' }).catch(() => undefined);
      await response?.arrayBuffer();
      return response?.ok === true;
    }, `order ${order} was not taken by ${address}`);
  }
}

async function observerOf(
  observation: Observation | undefined,
  stage: Stage,
  namespace: string,
): Promise<Observer | undefined> {
  if (observation === undefined) return undefined;
  const { application, everyMs = DEFAULT_EVERY_MS, limitMs = DEFAULT_LIMIT_MS } = observation;
  return new Observer(await addressOf(stage, namespace, application), everyMs, limitMs);
}

/** Does what a row wants when its fault is in force; not at all when it never is. */
async function doDuring(
  row: Row,
  stage: Stage,
  namespace: string,
  result: string,
  timeoutMs: number,
): Promise<void> {
  const { client } = stage;
  const found = await waitForObject<ChaosResult>(client, CHAOS_RESULTS, result, isInForceOrOver, {
    namespace,
    timeoutMs,
  });
  const isInForce = Object.values(found?.status?.ledger ?? {}).some(wasHit);
  if (!isInForce) return;
  await row.during?.act(client, namespace);
}

function isInForceOrOver(result: ChaosResult | undefined): boolean {
  const { ledger = {}, experimentStatus } = result?.status ?? {};
  const verdict = experimentStatus?.verdict ?? 'Awaited';
  return verdict !== 'Awaited' || Object.values(ledger).some(wasHit);
}

/** What is done in a moment is over when it is seen. */
function wasHit({ injectedAt }: Pick<LedgerEntry, 'injectedAt'>): boolean {
  return injectedAt !== undefined;
}

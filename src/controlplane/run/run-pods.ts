import { isObject, parseObject, textOf } from '@turnsole/kube/text/json';
import { type Context, memberOf } from '../access/context.ts';
import { found, Refusal } from '../access/refusal.ts';
import { askOwn } from '../infra/live/ask-own.ts';
import type { KeptPodLog, QueryGetRunPodLogArgs, RunPod, RunPods } from '../schema/generated/types.ts';
import { logOf, logsOf } from './records/receive-log.ts';
import type { StoredLog } from './records/stored-log.ts';
import { executionTextOf, findRun } from './run-rows.ts';

/** Where pods of a run are, in the form of the request to the agent. */
type Place =
  | { readonly namespace: string; readonly workflow: string }
  | { readonly namespace: string; readonly engineUID: string };

/** Pods of a run in its agent's report. */
interface KnownPods {
  readonly places: readonly Place[];
  /** Including deleted ones. */
  readonly pods: readonly Pick<RunPod, 'namespace' | 'name' | 'container'>[];
}

/** The container of a workflow's pod that does the work of its step. */
const MAIN = 'main';
/** Phases of pods whose logs are complete. */
const OVER = ['Succeeded', 'Failed'];

/** The pods of a run, once: those in its report, and those that its agent finds now. */
export async function* runPods(runID: string, context: Context): AsyncGenerator<RunPods> {
  const { store } = context.plane;
  const run = found(
    await findRun(store.read, memberOf(context).project, { runID }),
    'no matching experiment run',
  );
  const text = await executionTextOf(store.read, run.key);
  const kept = await logsOf(store.read, run.key);
  const { places, pods } = knownPods(text ?? '{}');
  try {
    const answer = await askOwn({ infra: run.infra_id, type: 'run_pods', data: { places } }, context);
    yield withKept(withFound(pods, answer), kept);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const unknown = pods.map((pod) => ({ ...pod, isThere: null, isRunning: null, isKept: false }));
    yield withKept({ pods: unknown, problem: error.message }, kept);
  }
}

/** The pods in a run's report, and the places of its other pods. Pure. */
export function knownPods(text: string): KnownPods {
  const { name, namespace, nodes, experimentType } = parseObject(text) ?? {};
  const [workflow, place] = [textOf(name), textOf(namespace)];
  const isWorkflow = experimentType !== 'chaosengine' && workflow !== '' && place !== '';
  const places: Place[] = isWorkflow ? [{ namespace: place, workflow }] : [];
  const pods: KnownPods['pods'][number][] = [];
  for (const [id, node] of isObject(nodes) ? Object.entries(nodes) : []) {
    if (!isObject(node)) continue;
    const engine = isObject(node.chaosData) ? node.chaosData : {};
    const isPod = node.type === 'Pod' || node.type === 'ChaosEngine';
    if (isWorkflow && isPod && textOf(node.startedAt) !== '')
      pods.push({ namespace: place, name: id, container: MAIN });
    const of = textOf(engine.namespace) || place;
    for (const pod of [engine.runnerPod, engine.experimentPod].map(textOf)) {
      // An engine without a pod yet has a sentence here.
      if (/^[a-z0-9][-a-z0-9.]*$/.test(pod)) pods.push({ namespace: of, name: pod, container: null });
    }
    if (textOf(engine.engineUID) !== '') places.push({ namespace: of, engineUID: textOf(engine.engineUID) });
  }
  return { places, pods };
}

/** Known pods merged with existing ones, in the order of their starts as far as known. Pure. */
export function withFound(
  known: KnownPods['pods'],
  { pods, problems }: Readonly<Record<string, unknown>>,
): RunPods {
  const there = (Array.isArray(pods) ? pods : []).filter(isObject).toSorted((a, b) => compare(a, b));
  const found = there.map((pod): RunPod => {
    const containers = Array.isArray(pod.containers) ? pod.containers.map(String) : [];
    return {
      namespace: textOf(pod.namespace),
      name: textOf(pod.name),
      container: (containers.includes(MAIN) ? MAIN : containers[0]) ?? null,
      isThere: true,
      isRunning: !OVER.includes(textOf(pod.phase)),
      isKept: false,
    };
  });
  const names = new Set(found.map(keyOf));
  const gone = known.filter((pod) => !names.has(keyOf(pod)));
  const said = Array.isArray(problems) ? problems.map(String) : [];
  // A pod in a place that could not be read may still exist.
  const isThere = said.length === 0 ? false : null;
  return {
    pods: [...gone.map((pod) => ({ ...pod, isThere, isRunning: isThere, isKept: false })), ...found],
    problem: said.length === 0 ? null : said.join('; '),
  };
}

/** Pods with a mark at those whose log is kept, and with those of which nothing else is known. Pure. */
export function withKept({ pods, problem }: RunPods, kept: readonly StoredLog[]): RunPods {
  const keys = new Set(kept.map(keyOf));
  const known = new Set(pods.map(keyOf));
  const others = kept
    .filter((log) => !known.has(keyOf(log)))
    .map(({ namespace, name, container }) => ({
      ...{ namespace, name, container, isThere: false, isRunning: false, isKept: true },
    }));
  const marked = pods.map((pod) => ({ ...pod, isKept: keys.has(keyOf(pod)) }));
  return { pods: [...others, ...marked], problem };
}

/** The end of the log of a pod of a run; null for one that is not kept. @throws Refusal for an unknown run */
export async function keptLog(
  { experimentRunID, namespace, pod }: Omit<QueryGetRunPodLogArgs, 'projectID'>,
  context: Context,
): Promise<KeptPodLog | null> {
  const { store } = context.plane;
  const run = found(
    await findRun(store.read, memberOf(context).project, { runID: experimentRunID }),
    'no matching experiment run',
  );
  const log = await logOf(store.read, run.key, { namespace, name: pod });
  if (log === undefined) return null;
  const { container, text, leftOutBytes, isOver } = log;
  return { namespace, pod, container, text, leftOutBytes, isOver };
}

function keyOf({ namespace, name }: Pick<RunPod, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

function compare(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): number {
  return (
    textOf(a.startedAt).localeCompare(textOf(b.startedAt)) || textOf(a.name).localeCompare(textOf(b.name))
  );
}

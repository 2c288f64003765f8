import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import { textOf } from '@turnsole/kube/text/json';
import { isPodOf, podNameOf } from '@turnsole/workflows/kinds/pod-names';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { runIsOver } from '../../../api/engine-status.ts';
import { LABEL_STEP_POD, LABEL_WORKFLOW_RUN_ID } from '../../../api/labels.ts';
import { CHAOS_ENGINES, CHAOS_RESULTS } from '../../../api/resources.ts';
import type { ChaosEngine } from '../../../api/schema/engine.ts';
import type { ChaosResult } from '../../../api/schema/result.ts';
import type { Nodes } from '../../workflow-controller/stored-nodes.ts';
import { chaosDataOf, entriesOf, hasPassed } from './chaos-data.ts';
import { type EngineReference, engineManifestOf, engineReferenceOf } from './engine-node.ts';
import type { ChaosData } from './run-event.ts';

/** Where the engines of a run are looked for. */
interface EngineSource {
  readonly client: Pick<KubeClient, 'find' | 'logLines'>;
  /** Engines of a Workflow, by its uid, from a local copy. */
  readonly ofRun: (uid: string) => readonly ChaosEngine[];
}

/** The engines that the nodes of a workflow make, as far as they are known now. */
export async function findEngines(
  source: EngineSource,
  workflow: Workflow,
  nodes: Nodes,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ChaosData | undefined>> {
  const found = new Map<string, ChaosData | undefined>();
  for (const [id, node] of Object.entries(nodes)) {
    const reference = await referenceOf(node);
    if (reference === undefined) continue;
    found.set(
      id,
      node.phase === 'Pending' ? undefined : await lookUp(source, workflow, node, reference, signal),
    );
  }
  return found;
}

/** The parser is loaded with the first manifest that may be one. */
async function referenceOf(node: NodeStatus): Promise<EngineReference | undefined> {
  const manifest = engineManifestOf(node);
  if (manifest === undefined) return undefined;
  const { parse } = await import('yaml');
  try {
    return engineReferenceOf(parse(manifest));
  } catch {
    // The step fails on it as well, and reports it.
    return undefined;
  }
}

async function lookUp(
  source: EngineSource,
  workflow: Workflow,
  node: NodeStatus,
  reference: EngineReference,
  signal: AbortSignal,
): Promise<ChaosData | undefined> {
  const namespace = reference.namespace || (workflow.metadata.namespace ?? '');
  const ofRun = source
    .ofRun(workflow.metadata.uid ?? '')
    .filter((one) => one.metadata.namespace === namespace);
  const name = reference.name || (await generatedName(source, ofRun, workflow, node, reference, signal));
  if (name === undefined) return undefined;
  const engine = await findEngine(source, workflow, ofRun, namespace, name, signal);
  if (engine !== undefined && isForeign(engine, workflow, node)) return undefined;
  const { experiment, result } =
    engine === undefined
      ? {
          experiment: reference.experiment,
          result: await findResult(source, namespace, name, reference.experiment, signal),
        }
      : await deciding(source, engine, signal);
  // Names of engines are used again: without the engine, only a result that names its run can be trusted.
  const isOwn =
    engine !== undefined || result?.metadata.labels?.[LABEL_WORKFLOW_RUN_ID] === workflow.metadata.uid;
  return chaosDataOf({ name, namespace, engine, experiment, result: isOwn ? result : undefined });
}

/** An engine that is a run of its own, with its result. */
export async function standaloneData(
  source: Pick<EngineSource, 'client'>,
  engine: ChaosEngine,
  signal: AbortSignal,
): Promise<ChaosData | undefined> {
  const { name, namespace = '' } = engine.metadata;
  return chaosDataOf({ name, namespace, engine, ...(await deciding(source, engine, signal)) });
}

/**
 * The engine from the local copy, but not one that goes on when its workflow is over: the copy may be behind, and the last word on a run is
 * said once.
 */
async function findEngine(
  source: EngineSource,
  workflow: Workflow,
  ofRun: readonly ChaosEngine[],
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<ChaosEngine | undefined> {
  const cached = ofRun.find(({ metadata }) => metadata.name === name);
  if (cached !== undefined && (runIsOver(cached.status?.engineStatus) || !workflow.status?.finishedAt))
    return cached;
  return (await find<ChaosEngine>(source, CHAOS_ENGINES, namespace, name, signal)) ?? cached;
}

/** An engine that is older than the node belongs to an earlier run, unless its label names this run. */
function isForeign({ metadata }: ChaosEngine, workflow: Workflow, node: NodeStatus): boolean {
  const run = metadata.labels?.[LABEL_WORKFLOW_RUN_ID];
  if (run !== undefined && run === workflow.metadata.uid) return false;
  return Date.parse(node.startedAt ?? '') > Date.parse(metadata.creationTimestamp ?? '');
}

/**
 * The experiment that stands for an engine, with its result: servers take one. Of several it is the first until the engine has ended, then the
 * first that did not pass, else the first that probes have judged.
 */
async function deciding(
  source: Pick<EngineSource, 'client'>,
  { metadata, status }: ChaosEngine,
  signal: AbortSignal,
): Promise<{ readonly experiment: string; readonly result: ChaosResult | undefined }> {
  const { name: engine, namespace = '' } = metadata;
  const entries = entriesOf(status);
  const names = [...new Set(entries.map(({ name }) => textOf(name)))];
  const withResult = async (experiment: string) => ({
    experiment,
    result: await findResult(source, namespace, engine, experiment, signal),
  });
  const [first = ''] = names;
  if (names.length <= 1) return withResult(first);
  if (!runIsOver(status?.engineStatus)) return { experiment: first, result: undefined };
  const notPassed = entries.find((entry) => !hasPassed(entry));
  if (notPassed !== undefined) return withResult(textOf(notPassed.name));
  for (const name of names) {
    const found = await withResult(name);
    const probes: unknown = found.result?.status?.probeStatuses;
    if (Array.isArray(probes) && probes.length > 0) return found;
  }
  return withResult(first);
}

async function findResult(
  source: Pick<EngineSource, 'client'>,
  namespace: string,
  engine: string,
  experiment: string,
  signal: AbortSignal,
): Promise<ChaosResult | undefined> {
  if (experiment === '') return undefined;
  return find<ChaosResult>(source, CHAOS_RESULTS, namespace, `${engine}-${experiment}`, signal);
}

const NAME_LINE = /ChaosEngine Name : ([\w-]+)/;
/** The checker says the name in one of its first lines. */
const MAX_LINES = 1_000;

/** The name that the server gave: by the labels of the run, else from what the step has printed. */
async function generatedName(
  { client }: EngineSource,
  ofRun: readonly ChaosEngine[],
  { metadata }: Workflow,
  node: NodeStatus,
  { generateName }: EngineReference,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (generateName === '') return undefined;
  const alike = ofRun.filter((engine) => engine.metadata.name.startsWith(generateName));
  const own = alike.find((engine) => isPodOf({ metadata }, node, engine.metadata.labels?.[LABEL_STEP_POD]));
  if (own !== undefined) return own.metadata.name;
  if (alike.length === 1) return alike[0]?.metadata.name;
  try {
    let lines = 0;
    const options = { namespace: metadata.namespace ?? '', container: 'main', signal };
    for await (const line of client.logLines(podNameOf({ metadata }, node), options)) {
      const [, name] = NAME_LINE.exec(line) ?? [];
      if (name !== undefined) return name;
      if (++lines === MAX_LINES) break;
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  return undefined;
}

/** Answers by which an API server says that it will never show such an object: no such name, not for this account. */
const NEVER_SHOWN: ReadonlySet<number> = new Set([400, 403, 422]);

/** An object that is not there, or that may not be read. */
async function find<T extends ChaosEngine | ChaosResult>(
  { client }: Pick<EngineSource, 'client'>,
  resource: typeof CHAOS_ENGINES,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<T | undefined> {
  try {
    return await client.find<T>(resource, name, { namespace, signal });
  } catch (error) {
    if (error instanceof ApiError && NEVER_SHOWN.has(error.code)) return undefined;
    throw error;
  }
}

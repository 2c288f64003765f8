import { audit } from '../access/audit.ts';
import { type Context, memberOf, userOf } from '../access/context.ts';
import type { Noun } from '../access/noun.ts';
import { found, Refusal } from '../access/refusal.ts';
import { asInfra } from '../infra/infras.ts';
import type {
  ExperimentRun,
  Infra,
  KeptPodLog,
  PodLogRequest,
  PodLogResponse,
  RunOutcome,
  RunPods,
} from '../schema/generated/types.ts';
import { projectScope } from '../store/store.ts';
import { type ReadRun, type RunName, readRun, watchRun } from './cluster-run.ts';
import { getClusterRunExport } from './export-run.ts';
import { CLUSTER_KINDS, type ObservedCluster } from './observed-cluster.ts';
import { followPodLog } from './pod-log.ts';
import { stopRun } from './stop-run.ts';

/** The object of a run that nobody has registered, from the ID that the run has: `Kind/namespace/name`. Undefined for IDs of registered runs. Pure. */
export function watchedName(id: unknown): RunName | undefined {
  const [kind, namespace, name, ...rest] = String(id).split('/');
  const known = CLUSTER_KINDS.find((one) => one === kind);
  if (known === undefined || !namespace || !name || rest.length > 0) return undefined;
  return { kind: known, namespace, name };
}

/** A run of the cluster in the form of registered runs. Pure. */
export function asExperimentRun(
  { object, removed, stopping, page, nodes, details, pods, manifest }: ReadRun,
  infra: Infra,
): ExperimentRun {
  const { id, kind, name, state, createdAt, finishedAt } = object;
  const isRunning = !removed && finishedAt === null;
  const isStopped = object.verdict === 'Stopped' || object.phase === 'stopped';
  const { outcome: ended } = page;
  const outcome: RunOutcome = {
    ...{
      state: (isRunning ? undefined : ended?.state) ?? state,
      since: object.since,
      seconds: object.seconds,
    },
    ...{ word: ended?.word ?? '', reason: ended?.reason ?? null, survival: ended?.survival ?? null },
    ...{ isByChaos: ended?.by !== 'run', score: null, exitCode: null },
  };
  const seconds = String(Math.floor(Number(finishedAt ?? createdAt) / 1000));
  return {
    ...{ projectID: infra.projectID, experimentRunID: id, experimentID: id, experimentName: name, infra },
    ...{ experimentType: kind === 'Workflow' ? 'experiment' : 'chaosengine', weightages: [], revisionID: '' },
    ...{ createdAt, updatedAt: finishedAt ?? createdAt, createdBy: null, updatedBy: null, origin: null },
    phase: stopping || (!isRunning && isStopped) ? 'Stopped' : isRunning ? 'Running' : 'Completed',
    ...{ outcome, resiliencyScore: null, problem: null, notifyID: null, runSequence: 0, isRemoved: removed },
    ...{ faultsPassed: null, faultsFailed: null, faultsAwaited: null, faultsStopped: null, faultsNa: null },
    totalFaults: object.faults.length,
    experimentManifest: JSON.stringify(manifest),
    executionData: JSON.stringify({ name, nodes, ...(!isRunning && { finishedAt: seconds }) }),
    timeline: JSON.stringify(page),
    details: JSON.stringify(details),
    keptLogs: pods.filter(({ isThere }) => !isThere).length,
  };
}

type AnyHandler = (args: never, context: Context) => unknown;
type AnyResolver = (parent: never, ...rest: never[]) => unknown;

/**
 * The nouns of a server that watches a cluster itself: where an operation on runs names one that nobody has registered, the cluster's objects answer.
 * Its caller has to be an administrator: that is the person of the machine.
 */
export function withWatchedRuns(nouns: readonly Noun[], cluster: ObservedCluster): readonly Noun[] {
  const infraOf = async (context: Context): Promise<Infra> => {
    const { store, settings } = context.plane;
    const row = await store.read
      .selectFrom('infras')
      .selectAll()
      .where('project_id', '=', memberOf(context).project)
      .where('name', '=', cluster.name)
      .where('removed', '=', 0)
      .executeTakeFirst();
    return asInfra(
      found(row, 'the watched cluster is no infrastructure of this project'),
      settings.version,
      '',
    );
  };
  const checked = (context: Context): Context => {
    if (userOf(context).role === 'admin') return context;
    throw new Refusal('forbidden', 'permission_denied: only administrators may see the watched cluster');
  };
  const read = async (run: RunName): Promise<ReadRun> =>
    found(
      await readRun(cluster, run),
      `there is no ${run.kind} ${run.namespace}/${run.name} in the cluster; a page that waits for it shows it as soon as it is made`,
    );

  /** By operation or route: what stands in for it, given the named run and all arguments. */
  const ofRuns: Readonly<
    Record<string, (run: RunName, args: Readonly<Record<string, unknown>>, context: Context) => unknown>
  > = {
    getExperimentRun: async (run, _args, context) => asExperimentRun(await read(run), await infraOf(context)),
    watchRun: async function* (run, _args, context) {
      const infra = await infraOf(context);
      for await (const next of watchRun(cluster, run, context.signal)) yield asExperimentRun(next, infra);
    },
    getRunPods: async function* (run): AsyncGenerator<RunPods> {
      const { pods } = await read(run);
      const asPod = (pod: ReadRun['pods'][number]) => ({ ...pod, isRunning: null, isKept: !pod.isThere });
      yield { pods: pods.map(asPod), problem: null };
    },
    getPodLog: async function* (_run, { request }, context): AsyncGenerator<PodLogResponse> {
      const {
        experimentRunID,
        podName,
        podType,
        podNamespace: namespace,
        container,
      } = request as PodLogRequest;
      const about = { experimentRunID, podName, podType };
      let piece = 0;
      for await (const lines of followPodLog(
        cluster,
        { namespace, pod: podName, container },
        context.signal,
      )) {
        const mainLogs = lines.map((line) => `${line}\n`).join('');
        yield { ...about, log: JSON.stringify({ mainLogs, piece: piece++, isLast: false }) };
      }
    },
    getRunPodLog: (_run, { namespace, pod }): KeptPodLog | null => {
      const log = cluster.logs.all().find((one) => one.namespace === namespace && one.name === pod);
      if (log === undefined) return null;
      const { container, text, leftOutBytes, isOver } = log;
      return { namespace: log.namespace, pod: log.name, container, text, leftOutBytes, isOver };
    },
    stopExperimentRuns: async (run, { experimentRunID }, context) => {
      const stopped = await stopRun(cluster, run);
      const { project } = memberOf(context);
      await context.transaction(projectScope(project), (tx) =>
        audit(tx, context, { project, kind: 'experiment', id: String(experimentRunID), after: { stopped } }),
      );
      return stopped;
    },
    'GET /export/run/:project_id/:run_id/:format': (run, { format }, context) =>
      getClusterRunExport(cluster, { ...run, format }, context),
  };
  const handler = (name: string, own: AnyHandler): AnyHandler => {
    const instead = ofRuns[name];
    if (instead === undefined) return own;
    return (args: Readonly<Record<string, unknown>>, context: Context) => {
      const { experimentRunID, run_id, request } = args;
      const asked = (request as Partial<PodLogRequest> | null | undefined)?.experimentRunID;
      const run = watchedName(experimentRunID ?? run_id ?? asked);
      return run === undefined ? own(args as never, context) : instead(run, args, checked(context));
    };
  };
  const field = (name: string, own: AnyResolver): AnyResolver => {
    return (run: ExperimentRun, ...rest) =>
      watchedName(run.experimentRunID) === undefined
        ? own(run as never, ...rest)
        : run[name as keyof ExperimentRun];
  };
  return nouns.map((noun) => ({
    ...noun,
    ...(noun.queries && { queries: mapped(noun.queries, handler) }),
    ...(noun.mutations && { mutations: mapped(noun.mutations, handler) }),
    ...(noun.subscriptions && { subscriptions: mapped(noun.subscriptions, handler) }),
    ...(noun.routes && { routes: mapped(noun.routes, handler) }),
    ...(noun.types?.ExperimentRun && {
      types: { ...noun.types, ExperimentRun: mapped(noun.types.ExperimentRun, field) },
    }),
  }));
}

/** The same members, each made anew by its name. Whoever makes them keeps their types. */
function mapped<Members extends object, Member extends AnyHandler | AnyResolver>(
  members: Members,
  make: (name: string, own: Member) => unknown,
): Members {
  const entries = Object.entries(members) as [string, Member][];
  return Object.fromEntries(entries.map(([name, own]) => [name, make(name, own)])) as Members;
}

import { objectKey } from '../../api/core.ts';
import { isNotFound } from '../../kube/client/errors.ts';
import { systemClock } from '../../kube/runtime/clock.ts';
import { type ClusterOptions, type ClusterSession, openCluster } from '../cluster.ts';
import { CommandError, formatProblem } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { type AppliedObject, type ApplyContext, applyManifests, namespaceOf } from '../manifests/apply.ts';
import { KindResolver } from '../manifests/discovery.ts';
import type { Manifest, ScheduleTimes } from '../manifests/load.ts';
import { type ReadManifests, readManifests, type ScheduleMode } from '../manifests/read.ts';
import { nextOccurrences } from '../manifests/schedules.ts';
import { beforeCluster, checkFiles, refuseChecked } from '../plan/check-files.ts';
import { surroundings } from '../plan/surroundings.ts';
import { doubtsOf } from '../plan/warnings.ts';
import { buildEngineReport } from '../report/build.ts';
import { checkReportFiles, writeReports } from '../report/files.ts';
import { type EngineReport, exitCodeOf, type RunReport } from '../report/model.ts';
import { formatTimeline } from '../report/timeline.ts';
import { formatVerdictTable, styleFor } from '../report/verdict-table.ts';
import { awaitWorkloads } from '../run/await-workloads.ts';
import { runEngine } from '../run/engine-run.ts';
import { followChaosLogs } from '../run/follow-logs.ts';
import { refuseObstacles } from '../run/obstacles.ts';
import { planEngines, refuseProblems } from '../run/preflight.ts';
import { createProgress, type Progress } from '../run/progress.ts';
import { runSchedule } from '../run/schedule-run.ts';
import { onStopRequest, stopRequest } from '../signals.ts';
import { packageVersion } from '../version.ts';

/** Options of `turnsole run`, as the command line gives them. */
export interface RunOptions extends ClusterOptions {
  readonly schedule: ScheduleMode;
  readonly timeout: number;
  readonly readyTimeout: number;
  readonly junit?: string;
  readonly json?: string;
  readonly timeline: boolean;
  readonly cleanup?: boolean;
  readonly keep?: boolean;
  readonly quiet?: boolean;
}

/** Runs the engines of the manifests and resolves to the exit code their verdicts deserve. */
export async function run(paths: readonly string[], options: RunOptions): Promise<number> {
  const progress = createProgress({
    stream: process.stdout,
    quiet: options.quiet ?? false,
    clock: systemClock,
  });
  const stop = new AbortController();
  const unsubscribe = onStopRequest((count, cause) => {
    if (count === 1) stop.abort(new CommandError(`stopped by ${cause}`, EXIT.aborted));
    // The first signal is already being obeyed; leaving now would leave chaos behind.
    else progress.step('still reverting what was injected; this ends by itself');
  });
  const cancelTimeout = systemClock.setTimer(options.timeout, () => {
    stop.abort(
      new CommandError(`not finished within --timeout ${options.timeout / 1000}s`, EXIT.couldNotRun),
    );
  });
  try {
    await checkReportFiles(options);
    const read = await readManifests(paths, progress, {
      mode: options.schedule,
      nowMs: systemClock.now(),
    });
    const { engines, schedules, others } = read;
    const planned = [...engines, ...nextOccurrences(schedules, systemClock.now()).engines];
    refuseChecked(await checkFiles(planned, others, beforeCluster(options)));
    for (const { object, schedule } of engines) {
      if (schedule !== undefined) progress.step(saysOccurrence(schedule, object.metadata.name));
    }
    return await runOnCluster({ ...read, planned }, options, progress, stop.signal);
  } finally {
    cancelTimeout();
    unsubscribe();
    progress.close();
  }
}

/** What a run is made of. */
interface RunInput extends ReadManifests {
  /** All engines that are looked at beforehand: those to run, and the next one of each schedule. */
  readonly planned: readonly Manifest[];
}

function saysOccurrence({ name, nextTimes: [first] }: ScheduleTimes, engine: string): string {
  return `ChaosSchedule ${name}: its next occurrence (${first}) is run now, as engine ${engine}; --schedule real waits for its times`;
}

async function runOnCluster(
  { engines, schedules, others, planned }: RunInput,
  options: RunOptions,
  progress: Progress,
  stop: AbortSignal,
): Promise<number> {
  const startedAt = new Date(systemClock.now()).toISOString();
  const session = await openSession(options, progress, stop);
  const created: AppliedObject[] = [];
  try {
    const apply: ApplyContext = {
      client: session.client,
      kinds: new KindResolver(session.client),
      namespace: session.namespace,
      signal: stop,
      onWarning: (warning) => progress.step(`warning: ${formatProblem(warning)}`),
    };
    created.push(...(await prepare(planned, others, apply, session, options, progress)));
    const logs = new AbortController();
    const followed = options.verbose === true ? followLogs(planned, apply, progress, logs.signal) : undefined;
    const reports: EngineReport[] = [];
    // From here on a stop is a request to the operator, not the end of our own requests.
    const { signal: _, ...rest } = apply;
    const inRun = { ...rest, signal: new AbortController().signal };
    const context = { apply: inRun, clock: systemClock, progress, stop };
    for (const manifest of engines) {
      if (stop.aborted) break;
      const ended = await runEngine(manifest, context);
      created.push(ended.applied);
      reports.push(buildEngineReport(ended));
    }
    const running = stop.aborted ? [] : schedules;
    const scheduled = running.map(async (manifest) => {
      const { applied, outcomes } = await runSchedule(manifest, context);
      created.push(applied);
      reports.push(...outcomes.map(buildEngineReport));
    });
    await Promise.all(scheduled);
    logs.abort();
    await followed;
    const endedAt = new Date(systemClock.now()).toISOString();
    const reason: unknown = stop.reason;
    const aborted = reason instanceof CommandError && reason.exitCode === EXIT.aborted;
    const report = { turnsole: packageVersion(), startedAt, endedAt, aborted, engines: reports };
    await publish(report, options, progress);
    if (options.keep === true && session.embedded !== undefined && !stop.aborted)
      await keep(session, progress);
    if (stop.aborted && !aborted) throw reason;
    return exitCodeOf(report);
  } finally {
    progress.live(undefined);
    if (options.cleanup === true && session.embedded === undefined)
      await deleteCreated(session, created, progress);
    await session.close();
  }
}

/** Prints what the chaos components of the engines' namespaces log, until the signal. */
async function followLogs(
  engines: readonly Manifest[],
  { client, namespace }: ApplyContext,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const namespaces = new Set(engines.map((engine) => namespaceOf(engine, namespace)));
  const onLine = (pod: string, line: string): void => progress.log(pod, line);
  await Promise.all(
    [...namespaces].map((name) => followChaosLogs({ client, namespace: name, signal, onLine })),
  );
}

async function openSession(
  options: RunOptions,
  progress: Progress,
  stop: AbortSignal,
): Promise<ClusterSession> {
  const startedAt = systemClock.now();
  const session = await openCluster({ ...options, withOperator: true }, stop);
  const took = systemClock.now() - startedAt;
  progress.step(
    session.embedded === undefined ? 'connected to the cluster' : `embedded cluster ready in ${took} ms`,
  );
  return session;
}

/** Everything up to the first engine: objects applied, workloads ready, engines checked against the cluster. */
async function prepare(
  engines: readonly Manifest[],
  others: readonly Manifest[],
  apply: ApplyContext,
  { embedded, connectWithToken }: ClusterSession,
  options: RunOptions,
  progress: Progress,
): Promise<AppliedObject[]> {
  const { client, namespace, signal } = apply;
  if (embedded === undefined) {
    refuseChecked(await checkFiles(engines, others, { namespace, cluster: surroundings(client, signal) }));
  }
  await refuseObstacles(engines, others, { client, namespace, signal, embedded });
  const applied = await applyManifests(others, apply);
  if (applied.length > 0) progress.step(`applied ${applied.length} objects`);
  await awaitWorkloads(applied, {
    client,
    timeoutMs: options.readyTimeout,
    signal,
    patient: embedded === undefined,
    onReady: (workload, state) => progress.step(`${workload} is ready (${state})`),
  });
  const plans = await planEngines(engines, { client, namespace, signal, embedded, connectWithToken });
  refuseProblems(plans);
  for (const doubt of plans.flatMap((plan) => doubtsOf(plan.plans))) progress.step(`warning: ${doubt}`);
  return applied.filter(({ created }) => created);
}

async function publish(report: RunReport, options: RunOptions, progress: Progress): Promise<void> {
  progress.close();
  const { stdout } = process;
  if (options.timeline && options.quiet !== true) {
    for (const engine of report.engines) {
      stdout.write(`\nTimeline of ${engine.namespace}/${engine.name}\n`);
      for (const line of formatTimeline(engine.timeline)) stdout.write(`  ${line}\n`);
    }
    stdout.write('\n');
  }
  for (const line of formatVerdictTable(report.engines, styleFor(stdout))) stdout.write(`${line}\n`);
  // Last: a disk that is full must not cost the verdict as well.
  await writeReports(report, options);
}

/** Leaves the embedded cluster running for a look around, until Ctrl-C. */
async function keep(session: ClusterSession, progress: Progress): Promise<void> {
  progress.step(`the cluster stays until Ctrl-C: export KUBECONFIG=${session.embedded?.kubeconfigPath}`);
  await stopRequest();
}

/** Deletes what this run created, in reverse order; what is gone already is fine. */
async function deleteCreated(
  session: ClusterSession,
  created: readonly AppliedObject[],
  progress: Progress,
): Promise<void> {
  const own = created.filter((applied) => applied.created).reverse();
  for (const { resource, object } of own) {
    const { name, namespace } = object.metadata;
    try {
      await session.client.delete(resource, name, { namespace, propagationPolicy: 'Background' });
    } catch (error) {
      // The others still go; and the verdict must not be lost over it.
      if (isNotFound(error)) continue;
      const title = `${resource.kind} ${objectKey(object)}`;
      console.error(`turnsole: cannot delete ${title}: ${(error as Error).message}; delete it by hand`);
    }
  }
  const count = own.length === 1 ? '1 object' : `${own.length} objects`;
  progress.step(`deleted the ${count} that this run had created`);
}

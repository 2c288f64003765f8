import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import { systemClock } from '@turnsole/kube/base/clock';
import { isNotFound } from '@turnsole/kube/client/errors';
import { objectKey } from '@turnsole/kube/kinds/core';
import { messageOf } from '@turnsole/kube/text/error-message';
import { complain } from '../../process/complain.ts';
import { packageVersion } from '../../process/version.ts';
import { BadInputError, CommandError, formatProblem } from '../../services/errors.ts';
import {
  type AppliedObject,
  type ApplyContext,
  applyManifests,
  namespaceOf,
} from '../../services/manifests/apply.ts';
import type { Manifest, ScheduleTimes } from '../../services/manifests/load.ts';
import type { ReadManifests, ReadOptions, ScheduleMode } from '../../services/manifests/read.ts';
import { nextOccurrences } from '../../services/manifests/schedules.ts';
import { checkFiles, refuseChecked, surroundings } from '../../services/plan/check-files.ts';
import { planInnerEngines } from '../../services/plan/inner-engines.ts';
import { refuseObstacles } from '../../services/plan/obstacles.ts';
import { planEngines, refuseProblems } from '../../services/plan/preflight.ts';
import { refuseUnchecked, uncheckedWarnings } from '../../services/plan/unchecked.ts';
import { doubtsOf, doubtText, unreadOf, wholeWorkloads } from '../../services/plan/warnings.ts';
import { buildEngineReport } from '../../services/report/build.ts';
import { buildWorkflowReport } from '../../services/report/build-workflow.ts';
import { checkReportFiles } from '../../services/report/files.ts';
import type { EngineReport, RunReport, WorkflowReport } from '../../services/report/model.ts';
import { exitCodeOf, reportOutcome } from '../../services/report/outcome/of-report.ts';
import { awaitWorkloads } from '../../services/run/await-workloads.ts';
import { runEngine } from '../../services/run/engine-run.ts';
import { followChaosLogs } from '../../services/run/follow-logs.ts';
import type { Progress } from '../../services/run/progress.ts';
import { refuseMissingImages } from '../../services/run/refuse-images.ts';
import { runSchedule } from '../../services/run/schedule-run.ts';
import { runWorkflow } from '../../services/run/workflow-run.ts';
import { clusterLibrary } from '../../services/workflows/cluster-library.ts';
import { planWorkflow } from '../../services/workflows/inside/workflow-plan.ts';
import { checkWorkflows } from '../../services/workflows/manifest-problems.ts';
import { libraryOf } from '../../services/workflows/template-library.ts';
import { NO_TEMPLATES, type TemplateLibrary } from '../../workflows/validation/library.ts';
import { beforeCluster, type ClusterSession, openCluster } from '../cluster.ts';
import { createProgress } from '../print/progress.ts';
import { styleFor } from '../print/style.ts';
import { formatTimeline } from '../print/timeline.ts';
import { formatVerdictTable } from '../print/verdict-table.ts';
import { formatWorkflowTable } from '../print/workflow/table.ts';
import { buildFor, openProject, type ProjectOptions, withProject } from '../project.ts';
import type { ProposedOptions } from '../proposed-run.ts';
import { readRuns } from '../read-runs.ts';
import { RunOutput } from '../run-output.ts';
import { openBrowser, type ServedPage, servePageBeside } from '../server/page-server.ts';
import { onStopRequest, stopRequest } from '../signals.ts';

/** Options of `turnsole run`, as the command line gives them. */
export interface RunOptions extends ProposedOptions, ProjectOptions {
  readonly schedule: ScheduleMode;
  readonly timeout: number;
  readonly readyTimeout: number;
  readonly junit?: string;
  readonly json?: string;
  /** Folder for logs, Events, objects and timelines. */
  readonly artifacts?: string;
  readonly timeline: boolean;
  readonly cleanup?: boolean;
  /** Refuses engines with an experiment that no probe judges. */
  readonly requireChecks?: boolean;
  readonly keep?: boolean;
  /** Shows the run in the browser. */
  readonly ui?: boolean;
  readonly quiet?: boolean;
}

/** Runs the engines of the manifests and resolves to the exit code their verdicts deserve. The reports are written whatever happens. */
export async function run(
  named: readonly string[],
  given: RunOptions,
  isGiven: (option: string) => boolean,
): Promise<number> {
  const output = new RunOutput(given, process.env);
  try {
    return await runReported(named, given, isGiven, output);
  } catch (error) {
    await output.writeFailure(error);
    throw error;
  }
}

async function runReported(
  named: readonly string[],
  given: RunOptions,
  isGiven: (option: string) => boolean,
  output: RunOutput,
): Promise<number> {
  const project = await openProject(given);
  const options = withProject(given, project, isGiven);
  const progress = createProgress({
    stream: process.stdout,
    quiet: options.quiet ?? false,
    clock: systemClock,
  });
  const stop = new AbortController();
  const unsubscribe = onStopRequest((count, cause) => {
    if (count === 1) stop.abort(new CommandError(`stopped by ${cause}`, 'STOPPED'));
    // The first signal is already being obeyed; leaving now would leave chaos behind.
    else progress.step('still reverting what was injected; this ends by itself');
  });
  const cancelTimeout = systemClock.setTimer(options.timeout, () => {
    stop.abort(new CommandError(`not finished within --timeout ${options.timeout / 1000}s`, 'RUN_TIMEOUT'));
  });
  try {
    await checkReportFiles(options);
    const how: ReadOptions = { mode: options.schedule, nowMs: systemClock.now() };
    const read = await readRuns(named, options, project, { progress, signal: stop.signal, read: how });
    const { engines, schedules, workflows, others } = read;
    const next = nextOccurrences(schedules, systemClock.now()).engines;
    const planned = [...engines, ...next];
    const before = beforeCluster(options);
    if (options.requireChecks === true) refuseUnchecked(planned);
    refuseChecked(await checkFiles(planned, others, before));
    refuseWorkflows([...workflows, ...others], before.cluster === 'nothing' ? NO_TEMPLATES : undefined);
    for (const { object, cron } of workflows.filter((one) => one.cron !== undefined))
      progress.step(`CronWorkflow ${cron?.name}: run once now, as workflow ${object.metadata.name}`);
    // An object that waits for its times reports itself when it runs; only a time that has passed is reported now.
    const reported = [...engines, ...next.filter(({ schedule }) => schedule?.missedTime !== undefined)];
    for (const { object, schedule } of reported) {
      if (schedule !== undefined) progress.step(saysOccurrence(schedule, object.metadata.name));
    }
    await buildFor(project, options, progress, stop.signal);
    return await runOnCluster({ ...read, planned }, options, { progress, output, stop: stop.signal });
  } finally {
    cancelTimeout();
    unsubscribe();
    progress.close();
  }
}

/** Input of a run. */
interface RunInput extends ReadManifests {
  /** All engines that are planned beforehand: those to run, and the next one of each schedule. */
  readonly planned: readonly Manifest[];
}

/** What a run tells, and what ends it. */
interface RunContext {
  readonly progress: Progress;
  readonly output: RunOutput;
  readonly stop: AbortSignal;
}

function saysOccurrence({ name, nextTimes: [first], missedTime }: ScheduleTimes, engine: string): string {
  if (missedTime !== undefined)
    return `warning: ChaosSchedule ${name}: its time (${missedTime}) has passed; it is made up for now, as engine ${engine}`;
  return `ChaosSchedule ${name}: its next occurrence (${first}) is run now, as engine ${engine}; --schedule real waits for its times`;
}

async function runOnCluster(
  { engines, schedules, workflows, others, planned }: RunInput,
  options: RunOptions,
  { progress, output, stop }: RunContext,
): Promise<number> {
  const startedAt = new Date(systemClock.now()).toISOString();
  const session = await openSession(options, progress, stop);
  const created: AppliedObject[] = [];
  const logs = new AbortController();
  let followed: Promise<void> | undefined;
  const endLogs = async (): Promise<void> => {
    logs.abort();
    await followed;
  };
  let page: ServedPage | undefined;
  try {
    if (options.ui === true) page = await showRun([...engines, ...workflows], session, options, progress);
    const apply: ApplyContext = {
      client: session.client,
      kinds: new KindResolver(session.client),
      namespace: session.namespace,
      signal: stop,
      onWarning: (warning) => progress.step(`warning: ${formatProblem(warning)}`),
    };
    const applied = await prepare({ engines: planned, workflows, others }, apply, session, options, progress);
    created.push(...applied);
    if (options.verbose === true)
      followed = followLogs([...planned, ...workflows], apply, progress, logs.signal);
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
    const workflowReports: WorkflowReport[] = [];
    for (const manifest of workflows) {
      if (stop.aborted) break;
      const ended = await runWorkflow(manifest, context);
      created.push(ended.applied);
      const { workflow, engines: inside } = buildWorkflowReport(ended);
      workflowReports.push(workflow);
      reports.push(...inside);
    }
    const running = stop.aborted ? [] : schedules;
    const scheduled = running.map(async (manifest) => {
      const { applied, outcomes } = await runSchedule(manifest, context);
      created.push(applied);
      return outcomes.map(buildEngineReport);
    });
    reports.push(...(await Promise.all(scheduled)).flat());
    await endLogs();
    const endedAt = new Date(systemClock.now()).toISOString();
    const reason: unknown = stop.reason;
    const aborted = reason instanceof CommandError && reason.code === 'STOPPED';
    const ended: RunReport = {
      turnsole: packageVersion(),
      startedAt,
      endedAt,
      aborted,
      engines: reports,
      ...(workflows.length > 0 && { workflows: workflowReports }),
    };
    const report: RunReport = { ...ended, outcome: reportOutcome(ended) };
    await publish(report, options, { progress, output });
    if (stop.aborted && !aborted) throw reason;
    if (!aborted) await stay(session, page, options, progress);
    return exitCodeOf(report);
  } finally {
    progress.live(undefined);
    // Also after a failure: the followers would take the end of the session for trouble of their own.
    await endLogs();
    await keepArtifacts([...planned, ...workflows, ...others], session, output);
    if (options.cleanup === true && session.embedded === undefined)
      await deleteCreated(session, created, progress);
    await page?.[Symbol.asyncDispose]();
    await session.close();
  }
}

/** How long what explains a run may take to be read. */
const ARTIFACTS_LIMIT_MS = 60_000;

/** Keeps what explains the outcome, while the cluster has it. Never rejects: the verdict matters more. */
async function keepArtifacts(
  manifests: readonly Manifest[],
  { client, namespace }: ClusterSession,
  output: RunOutput,
): Promise<void> {
  if (!output.keepsArtifacts) return;
  const namespaces = new Set([
    namespace,
    ...manifests.flatMap(({ object }) => object.metadata.namespace ?? []),
  ]);
  try {
    const { collectArtifacts } = await import('../../services/artifacts/collect.ts');
    const limit = AbortSignal.timeout(ARTIFACTS_LIMIT_MS);
    await output.keep(await collectArtifacts(client, [...namespaces], limit));
  } catch (error) {
    complain(`artifacts are not complete: ${messageOf(error)}`);
  }
}

/** Serves the page of the cluster, and leads to the run when it is the only one. */
async function showRun(
  runs: readonly Manifest[],
  { client, namespace }: ClusterSession,
  { quiet }: RunOptions,
  progress: Progress,
): Promise<ServedPage> {
  const [first] = runs;
  const target = first === undefined || runs.length > 1 ? undefined : runTarget(first, namespace);
  const page = await servePageBeside({ client, ...(target !== undefined && { target }) });
  const { enterUrl = page.ready.url } = page.ready;
  const reported = `the run is shown at ${enterUrl} (the link signs one browser in, once)`;
  // Without its link the page is of no use.
  if (quiet === true) process.stdout.write(`${reported}\n`);
  else progress.step(reported);
  openBrowser(enterUrl);
  return page;
}

/** Path of a run in the page; undefined for one whose name the server draws. */
function runTarget(manifest: Manifest, namespace: string): string | undefined {
  const { kind = '', metadata } = manifest.object;
  if (metadata.name === undefined || metadata.name === '') return undefined;
  const parts = [kind, namespaceOf(manifest, namespace), metadata.name].map(encodeURIComponent);
  return `/ui/cluster/${parts.join('/')}`;
}

/**
 * Prints what the chaos components of the engines' namespaces log, until the signal. Never rejects: a run does not end because its logs
 * cannot be shown.
 */
async function followLogs(
  engines: readonly Manifest[],
  { client, namespace }: ApplyContext,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const namespaces = new Set(engines.map((engine) => namespaceOf(engine, namespace)));
  const onLine = (pod: string, line: string): void => progress.log(pod, line);
  const follow = (name: string): Promise<void> =>
    followChaosLogs({ client, namespace: name, signal, onLine }).catch((error: unknown) =>
      progress.step(`warning: logs of chaos in namespace ${name} are not shown: ${messageOf(error)}`),
    );
  await Promise.all([...namespaces].map(follow));
}

async function openSession(
  options: RunOptions,
  progress: Progress,
  stop: AbortSignal,
): Promise<ClusterSession> {
  const startedAt = systemClock.now();
  const session = await openCluster({ ...options, withOperator: true, withWorkflows: true }, stop);
  const took = systemClock.now() - startedAt;
  progress.step(
    session.embedded === undefined ? 'connected to the cluster' : `embedded cluster ready in ${took} ms`,
  );
  return session;
}

/** What a run brings along. */
interface Prepared {
  readonly engines: readonly Manifest[];
  readonly workflows: readonly Manifest[];
  readonly others: readonly Manifest[];
}

/** Everything up to the first engine or workflow: objects applied, workloads ready, engines checked against the cluster. */
async function prepare(
  { engines, workflows, others }: Prepared,
  apply: ApplyContext,
  { embedded, connectWithToken }: ClusterSession,
  options: RunOptions,
  progress: Progress,
): Promise<AppliedObject[]> {
  const { client, namespace, signal } = apply;
  if (embedded === undefined) {
    refuseChecked(await checkFiles(engines, others, { namespace, cluster: surroundings(client, signal) }));
  }
  const library = await clusterLibrary({ client, namespace, signal });
  refuseWorkflows([...workflows, ...others], library);
  const known = libraryOf(
    others.map(({ object }) => object),
    library,
  );
  const inside = workflows.map((manifest) => planWorkflow(manifest, { namespace, library: known }));
  if (options.requireChecks === true) refuseUnchecked(inside.flatMap((plan) => plan.engines));
  await refuseObstacles(
    [...engines, ...inside.flatMap((plan) => plan.engines)],
    [...others, ...inside.flatMap((plan) => plan.others)],
    { client, namespace, signal, embedded },
  );
  if (embedded !== undefined) refuseMissingImages(others, (image) => embedded.knowsImage(image));
  const applied = await applyManifests(others, apply);
  if (applied.length > 0) progress.step(`applied ${applied.length} objects`);
  await awaitWorkloads(applied, {
    client,
    timeoutMs: options.readyTimeout,
    signal,
    patient: embedded === undefined,
    ...(embedded !== undefined && { isIsolated: embedded.lacks.isolation === undefined }),
    onReady: (workload, state) => progress.step(`${workload} is ready (${state})`),
  });
  const looked = { client, namespace, signal, embedded, connectWithToken };
  const plans = await planEngines(engines, looked);
  refuseProblems(plans);
  const ofWorkflows = await planInnerEngines(inside, looked);
  refuseProblems(ofWorkflows);
  const doubts = [
    ...inside.flatMap(({ warnings }) => warnings),
    ...ofWorkflows.flatMap((plan) => (plan.doubts ?? []).map(doubtText)),
    ...[...plans, ...ofWorkflows].flatMap((plan) => [
      ...doubtsOf(plan.plans),
      ...unreadOf(plan.plans),
      ...uncheckedWarnings(plan.manifest),
      ...wholeWorkloads(plan.plans),
    ]),
  ];
  for (const doubt of new Set(doubts)) progress.step(`warning: ${doubt}`);
  return applied.filter(({ created }) => created);
}

/**
 * @throws BadInputError with every problem of the workflows. Without a library, nothing is refused as long as a template that they refer to
 * is not among the files: the cluster may have it, and is asked later.
 */
function refuseWorkflows(manifests: readonly Manifest[], library: TemplateLibrary | undefined): void {
  const { problems, unresolved } = checkWorkflows(manifests, library);
  const isKnown = library !== undefined || unresolved.length === 0;
  if (isKnown && problems.length > 0) throw new BadInputError(problems);
}

async function publish(
  report: RunReport,
  options: RunOptions,
  { progress, output }: Pick<RunContext, 'progress' | 'output'>,
): Promise<void> {
  progress.close();
  const { stdout } = process;
  if (options.timeline && options.quiet !== true) {
    // The timeline of a workflow has the steps of its engines.
    const alone = report.engines.filter(({ workflow }) => workflow === undefined);
    for (const one of [...alone, ...(report.workflows ?? [])]) {
      stdout.write(`\nTimeline of ${one.namespace}/${one.name}\n`);
      for (const line of formatTimeline(one.timeline)) stdout.write(`  ${line}\n`);
    }
    stdout.write('\n');
  }
  const style = styleFor(stdout);
  const { engines, workflows = [] } = report;
  if (engines.length > 0 || workflows.length === 0)
    for (const line of formatVerdictTable(engines, style)) stdout.write(`${line}\n`);
  if (engines.length > 0 && workflows.length > 0) stdout.write('\n');
  if (workflows.length > 0)
    for (const line of formatWorkflowTable(workflows, style)) stdout.write(`${line}\n`);
  const survival = report.outcome?.survival;
  if (survival !== undefined) stdout.write(`\n${survival}\n`);
  // Last: a disk that is full must not cost the verdict as well.
  await output.write(report);
}

/** Leaves what was asked for running for a look around, until Ctrl-C: the page, and with it or alone the embedded cluster. */
async function stay(
  { embedded }: ClusterSession,
  page: ServedPage | undefined,
  { keep }: RunOptions,
  progress: Progress,
): Promise<void> {
  const isKept = keep === true && embedded !== undefined;
  if (!isKept && page === undefined) return;
  if (page !== undefined) progress.step(`the page stays until Ctrl-C: ${page.ready.url}/ui/`);
  if (isKept) progress.step(`the cluster stays until Ctrl-C: export KUBECONFIG=${embedded.kubeconfigPath}`);
  await stopRequest();
}

/** Deletes what this run created, in reverse order; a missing object is fine. */
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
      complain(`cannot delete ${title}: ${(error as Error).message}; delete it by hand`);
    }
  }
  const count = own.length === 1 ? '1 object' : `${own.length} objects`;
  progress.step(`deleted the ${count} that this run had created`);
}

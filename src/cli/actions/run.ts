import { systemClock } from '@turnsole/kube/base/clock';
import { messageOf } from '@turnsole/kube/text/error-message';
import { asOneLine } from '@turnsole/kube/text/visible';
import { complain } from '../../process/complain.ts';
import { carryOut, isStopped } from '../../runs/execute/carry-out.ts';
import { deleteCreated } from '../../runs/execute/delete-created.ts';
import { openFitting } from '../../runs/execute/open-fitting.ts';
import { type RunInput, refuseBefore } from '../../runs/execute/refuse-before.ts';
import {
  beforeCluster,
  type ClusterSession,
  meansExisting,
  openCluster,
} from '../../runs/session/open-cluster.ts';
import { CommandError } from '../../services/errors.ts';
import type { RunPodLogs } from '../../services/logs/run-pod-logs.ts';
import { type AppliedObject, namespaceOf } from '../../services/manifests/apply.ts';
import type { Manifest, ScheduleTimes } from '../../services/manifests/load.ts';
import type { ReadOptions, ScheduleMode } from '../../services/manifests/read.ts';
import { checkReportFiles } from '../../services/report/files.ts';
import type { RunReport } from '../../services/report/model.ts';
import { exitCodeOf } from '../../services/report/outcome/of-report.ts';
import type { Progress } from '../../services/run/progress.ts';
import { type BuildOrder, obstacleToBuilds } from '../image/build-option.ts';
import { knowOwnFaults, type OwnFaultOptions } from '../own-faults.ts';
import { closingLine } from '../print/closing-line.ts';
import { createProgress } from '../print/progress.ts';
import { styleFor } from '../print/style.ts';
import { formatTimeline } from '../print/timeline.ts';
import { formatVerdictTable } from '../print/verdict-table.ts';
import { formatWorkflowTable } from '../print/workflow/table.ts';
import { buildFor, openProject, withProject } from '../project.ts';
import type { ProposedOptions } from '../proposed-run.ts';
import { readRuns } from '../read-runs.ts';
import { RunOutput } from '../run-output.ts';
import { openBrowser, type ServedPage, servePageBeside } from '../server/page-server.ts';
import { onStopRequest, stopRequest } from '../signals.ts';

/** Options of `turnsole run`, as the command line gives them. */
export interface RunOptions extends ProposedOptions, OwnFaultOptions {
  readonly schedule: ScheduleMode;
  readonly timeout: number;
  readonly readyTimeout: number;
  /** Images that are built first. */
  readonly build?: readonly BuildOrder[];
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
  await knowOwnFaults(given);
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
    refuseBuilds(options);
    await checkReportFiles(options);
    const how: ReadOptions = { mode: options.schedule, nowMs: systemClock.now() };
    const read = await readRuns(named, options, project, { progress, signal: stop.signal, read: how });
    const input = await refuseBefore(read, {
      requireChecks: options.requireChecks ?? false,
      before: beforeCluster(options),
      nowMs: systemClock.now(),
    });
    for (const { object, cron } of read.workflows.filter((one) => one.cron !== undefined))
      progress.step(`CronWorkflow ${cron?.name}: run once now, as workflow ${object.metadata.name}`);
    for (const { object, schedule } of input.planned) {
      // An object that waits for its times reports itself when it runs; only a time that has passed is reported now.
      const isReported = read.schedules.length === 0 || schedule?.missedTime !== undefined;
      if (schedule !== undefined && isReported) progress.step(saysOccurrence(schedule, object.metadata.name));
    }
    await buildFor(project, options, progress, stop.signal);
    if (options.build !== undefined) {
      const { buildImages } = await import('../image/build-images.ts');
      await buildImages(options.build, { progress, signal: stop.signal });
    }
    return await runOnCluster(input, options, { progress, output, stop: stop.signal });
  } finally {
    cancelTimeout();
    unsubscribe();
    progress.close();
  }
}

/** @throws CommandError where images are to be built, and no container of one could run */
function refuseBuilds(options: RunOptions): void {
  const { build, isolation } = options;
  const { platform } = process;
  const place = { isExisting: meansExisting(options), isolation, platform };
  const obstacle = build === undefined ? undefined : obstacleToBuilds(place);
  if (obstacle !== undefined) throw new CommandError(obstacle, 'OPTION_INVALID');
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
  input: RunInput,
  options: RunOptions,
  { progress, output, stop }: RunContext,
): Promise<number> {
  const session = await openSession(input, options, progress, stop);
  const created: AppliedObject[] = [];
  const namespaces = namespacesOf([...input.planned, ...input.workflows, ...input.others], session);
  const logs = output.keepsArtifacts ? await keepLogs(session, namespaces) : undefined;
  let page: ServedPage | undefined;
  try {
    if (options.ui === true)
      page = await showRun([...input.engines, ...input.workflows], session, options, progress);
    const { report } = await carryOut(input, session, {
      requireChecks: options.requireChecks ?? false,
      readyTimeoutMs: options.readyTimeout,
      withLogs: options.verbose ?? false,
      progress,
      stop,
      created,
    });
    await publish(report, options, { progress, output });
    if (stop.aborted && !isStopped(stop)) throw stop.reason;
    if (!stop.aborted) await stay(session, page, options, progress);
    return exitCodeOf(report);
  } finally {
    progress.live(undefined);
    await keepArtifacts(namespaces, session, output, logs);
    if (options.cleanup === true && session.embedded === undefined) {
      const count = await deleteCreated(session.client, created, complain);
      progress.step(`deleted the ${count === 1 ? '1 object' : `${count} objects`} that this run had created`);
    }
    await page?.[Symbol.asyncDispose]();
    await session.close();
  }
}

/** How long what explains a run may take to be read. */
const ARTIFACTS_LIMIT_MS = 60_000;

/** Namespaces of what is run, each once. */
function namespacesOf(manifests: readonly Manifest[], { namespace }: ClusterSession): readonly string[] {
  const named = manifests.flatMap(({ object }) => object.metadata.namespace ?? []);
  return [...new Set([namespace, ...named])];
}

/** Follows the logs of the run's pods from its begin: engines may have theirs deleted before it ends. */
async function keepLogs({ client }: ClusterSession, namespaces: readonly string[]): Promise<RunPodLogs> {
  const { RunPodLogs } = await import('../../services/logs/run-pod-logs.ts');
  const logs = new RunPodLogs({ client, namespaces });
  logs.start();
  return logs;
}

/** Keeps what explains the outcome, while the cluster has it. Never rejects: the verdict matters more. */
async function keepArtifacts(
  namespaces: readonly string[],
  { client }: ClusterSession,
  output: RunOutput,
  logs: RunPodLogs | undefined,
): Promise<void> {
  if (logs === undefined) return;
  try {
    const { collectArtifacts } = await import('../../services/artifacts/collect.ts');
    await logs.stop();
    const limit = AbortSignal.timeout(ARTIFACTS_LIMIT_MS);
    await output.keep(await collectArtifacts(client, namespaces, limit, logs.all()));
  } catch (error) {
    complain(`artifacts are not complete: ${messageOf(error)}`);
  }
}

/** Serves the page of the cluster, and leads to the run when it is the only one. */
async function showRun(
  runs: readonly Manifest[],
  session: ClusterSession,
  { quiet }: RunOptions,
  progress: Progress,
): Promise<ServedPage> {
  const [first] = runs;
  const target = first === undefined || runs.length > 1 ? undefined : runTarget(first, session.namespace);
  const page = await servePageBeside({ session, ...(target !== undefined && { target }) });
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

async function openSession(
  input: RunInput,
  options: RunOptions,
  progress: Progress,
  stop: AbortSignal,
): Promise<ClusterSession> {
  const startedAt = systemClock.now();
  const components = { withOperator: true, withWorkflows: true, warn: complain };
  const session = await openFitting(input, options, {
    open: (cluster) => openCluster({ ...cluster, ...components }, stop),
    ...{ progress, signal: stop },
  });
  const took = systemClock.now() - startedAt;
  progress.step(
    session.embedded === undefined ? 'connected to the cluster' : `embedded cluster ready in ${took} ms`,
  );
  return session;
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
  const closing = closingLine(report);
  if (closing !== undefined) stdout.write(`\n${asOneLine(closing)}\n`);
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

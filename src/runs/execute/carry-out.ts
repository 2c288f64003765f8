import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import { type Clock, systemClock } from '@turnsole/kube/base/clock';
import { messageOf } from '@turnsole/kube/text/error-message';
import { EXIT } from '../../process/exit-codes.ts';
import { packageVersion } from '../../process/version.ts';
import { CommandError, formatProblem } from '../../services/errors.ts';
import { type AppliedObject, type ApplyContext, namespaceOf } from '../../services/manifests/apply.ts';
import type { Manifest } from '../../services/manifests/load.ts';
import { buildEngineReport, type EngineOutcome, generateNameOf } from '../../services/report/build.ts';
import { buildWorkflowReport } from '../../services/report/build-workflow.ts';
import type { EngineReport, RunReport, WorkflowReport } from '../../services/report/model.ts';
import { reportOutcome } from '../../services/report/outcome/of-report.ts';
import { runEngine } from '../../services/run/engine-run.ts';
import { followChaosLogs } from '../../services/run/follow-logs.ts';
import type { Progress } from '../../services/run/progress.ts';
import { runSchedule } from '../../services/run/schedule-run.ts';
import { runWorkflow } from '../../services/run/workflow-run.ts';
import type { ClusterSession } from '../session/open-cluster.ts';
import { type PrepareOptions, prepare } from './prepare.ts';
import type { RunInput } from './refuse-before.ts';

/** How manifests are run. */
interface CarryOutOptions extends PrepareOptions {
  /** Hands the logs of the chaos components to the progress. */
  readonly withLogs: boolean;
  readonly progress: Progress;
  /**
   * Stops the run: what is in force is reverted, and the outcome is that of a stopped run. While the run is prepared, the signal's reason is
   * thrown. A CommandError of the code STOPPED counts as the user's wish; any other reason is the run's own, such as a limit.
   */
  readonly stop: AbortSignal;
  /** Gets what the run creates, also when it fails later. */
  readonly created: AppliedObject[];
  /** @default the system's */
  readonly clock?: Clock;
}

/** A run that has ended. */
export interface CarriedOut {
  readonly report: RunReport;
  /** What the report was made of: engines with their results, those of workflows and schedules among them. */
  readonly outcomes: readonly EngineOutcome[];
}

/**
 * Prepares a cluster for manifests, runs their engines, workflows and schedules to their end, and reports. The command and programs run
 * manifests by this function alone.
 *
 * @throws BadInputError, CommandError before anything was injected · the signal's reason while the run is prepared
 */
export async function carryOut(
  input: RunInput,
  session: ClusterSession,
  options: CarryOutOptions,
): Promise<CarriedOut> {
  const { progress, stop, created, clock = systemClock } = options;
  const startedAt = new Date(clock.now()).toISOString();
  const { engines, schedules, workflows, planned } = input;
  const apply: ApplyContext = {
    client: session.client,
    kinds: new KindResolver(session.client),
    namespace: session.namespace,
    signal: stop,
    onWarning: (warning) => progress.step(`warning: ${formatProblem(warning)}`),
    onApplied: (applied) => created.push(applied),
  };
  const logs = new AbortController();
  let followed: Promise<void> | undefined;
  try {
    await prepare(input, apply, session, options, progress);
    if (options.withLogs) followed = followLogs([...planned, ...workflows], apply, progress, logs.signal);
    // From here on a stop is a request to the operator, not the end of our own requests.
    const { signal: _, ...rest } = apply;
    const context = { apply: { ...rest, signal: new AbortController().signal }, clock, progress, stop };
    const outcomes: EngineOutcome[] = [];
    const reports: EngineReport[] = [];
    for (const manifest of engines) {
      if (stop.aborted) {
        reports.push(buildEngineReport(notBegun(manifest, session.namespace, stop)));
        continue;
      }
      const outcome = await runEngine(manifest, context);
      outcomes.push(outcome);
      reports.push(buildEngineReport(outcome));
    }
    const workflowReports: WorkflowReport[] = [];
    for (const manifest of workflows) {
      if (stop.aborted) {
        workflowReports.push(workflowNotBegun(manifest, session.namespace, stop));
        continue;
      }
      const ended = await runWorkflow(manifest, context);
      outcomes.push(...ended.engines);
      const { workflow, engines: inside } = buildWorkflowReport(ended);
      workflowReports.push(workflow);
      reports.push(...inside);
    }
    const running = stop.aborted ? [] : schedules;
    const scheduled = running.map((manifest) => runSchedule(manifest, context));
    const ofSchedules = (await Promise.all(scheduled)).flat();
    outcomes.push(...ofSchedules);
    reports.push(...ofSchedules.map(buildEngineReport));
    const ended: RunReport = {
      turnsole: packageVersion(),
      startedAt,
      endedAt: new Date(clock.now()).toISOString(),
      aborted: isStopped(stop),
      engines: reports.map((report) => withStopReason(report, stop)),
      ...(workflows.length > 0 && { workflows: workflowReports }),
    };
    const outcome = reportOutcome(ended);
    // What the limit of the whole run has ended did not run, whatever its parts came to.
    const isOutOfTime = stop.aborted && !ended.aborted;
    return {
      report: { ...ended, outcome: isOutOfTime ? { ...outcome, exitCode: EXIT.couldNotRun } : outcome },
      outcomes,
    };
  } finally {
    progress.live(undefined);
    // Also after a failure: the followers would take the end of the session for trouble of their own.
    logs.abort();
    await followed;
  }
}

/** What was stopped has no error of its own: its reason is that of the whole run. */
function withStopReason(report: EngineReport, { aborted, reason }: AbortSignal): EngineReport {
  if (!aborted || !(reason instanceof CommandError)) return report;
  const { message, code: errorCode } = reason;
  const experiments = report.experiments.map((one) =>
    one.verdict === 'Stopped' && one.errorCode === undefined ? { ...one, reason: message, errorCode } : one,
  );
  return { ...report, experiments };
}

/** An engine that the stop of the whole run has kept from beginning. */
function notBegun({ object }: Manifest, fallback: string, stop: AbortSignal): EngineOutcome {
  const { namespace = fallback } = object.metadata;
  // Its structure has been checked when it was loaded.
  const engine = object as unknown as EngineOutcome['engine'];
  const metadata = { ...engine.metadata, namespace };
  return {
    engine: { ...engine, metadata, status: { engineStatus: 'stopped' } },
    results: [],
    reason: reasonNotBegun(stop),
  };
}

/** A workflow that the stop of the whole run has kept from beginning. */
function workflowNotBegun({ object }: Manifest, fallback: string, stop: AbortSignal): WorkflowReport {
  const { name, namespace = fallback } = object.metadata;
  const known = { namespace, name, ...generateNameOf(object), phase: 'Pending' };
  return { ...known, reason: reasonNotBegun(stop), nodes: [], engines: [], timeline: [] };
}

function reasonNotBegun({ reason }: AbortSignal): string {
  return `was not begun: ${messageOf(reason)}`;
}

/** Whether a run was stopped because its user wants it stopped. */
export function isStopped({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof CommandError && reason.code === 'STOPPED';
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

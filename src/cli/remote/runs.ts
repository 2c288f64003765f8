import { EXIT, type ExitCode } from '../../process/exit-codes.ts';
import { CommandError } from '../../services/errors.ts';
import { askUntil, type Patience } from './ask-until.ts';
import { podLogs, podRequests } from './pod-logs.ts';
import type { RemoteClient } from './remote-client.ts';
import { askWithOutcome, type OutcomeFields, outcomeOfRun } from './remote-outcome.ts';

const RUN = `mutation ($p: ID!, $i: String!) { runChaosExperiment(experimentID: $i, projectID: $p) { notifyID } }`;
const getQuery = (outcome: string): string => `query ($p: ID!, $run: ID, $notify: ID) {
  getExperimentRun(projectID: $p, experimentRunID: $run, notifyID: $notify) {
    experimentRunID phase resiliencyScore faultsPassed totalFaults executionData weightages { faultName }
    infra { infraID } ${outcome} } }`;
const LOG = `subscription ($r: PodLogRequest!) { getPodLog(request: $r) { log } }`;

/** Identifies a run: its own ID, or the ID in the answer to its start. With both, its own counts. */
export type RunName = { readonly run: string; readonly notify?: string } | { readonly notify: string };

interface FullRun extends OutcomeFields {
  readonly experimentRunID: string;
  readonly faultsPassed: number | null;
  readonly totalFaults: number | null;
  readonly infra: { readonly infraID: string };
}

/** Starts a run. @returns its notify ID; empty for schedules */
export async function startRun(client: RemoteClient, p: string, i: string): Promise<string> {
  const { runChaosExperiment } = await client.graphql<{ runChaosExperiment: { notifyID: string } }>(RUN, {
    p,
    i,
  });
  return runChaosExperiment.notifyID;
}

export async function getRun(
  client: RemoteClient,
  p: string,
  name: RunName,
  signal?: AbortSignal,
): Promise<FullRun> {
  const answer = await askWithOutcome<{ getExperimentRun: FullRun }>(
    client,
    getQuery,
    { p, ...name },
    signal,
  );
  return answer.getExperimentRun;
}

/** How long a server may be away while a run is waited for, in milliseconds: one that is started again needs less. */
const AWAY_MS = 120_000;

/** What waiting for a run takes. */
interface Waiting extends Patience {
  /** Milliseconds that only grow. */
  readonly monotonic: () => number;
  readonly onPhase: (run: FullRun) => void;
  /** What keeps a run that is under way from going on, each time that it changes. */
  readonly onProblem: (reason: string) => void;
  /** The server does not answer, and is asked again. */
  readonly onAway: (message: string) => void;
}

/** Waits for the end of a run. @returns the exit code of its verdict. @throws CommandError when that takes too long */
export async function awaitRun(
  client: RemoteClient,
  p: string,
  name: RunName,
  waiting: Waiting,
): Promise<number> {
  let [phase, problem] = ['', ''];
  let answeredAt: number | undefined;
  let isAway = false;
  const ask = async (): Promise<ExitCode | undefined> => {
    const run = await getRun(client, p, name, waiting.signal).catch((error: unknown) => {
      const isBorne = answeredAt !== undefined && waiting.monotonic() - answeredAt < AWAY_MS;
      if (!isBorne || !(error instanceof CommandError) || error.code !== 'REMOTE_UNREACHABLE') throw error;
      if (!isAway) waiting.onAway(error.message);
      isAway = true;
      return undefined;
    });
    if (run === undefined) return undefined;
    [answeredAt, isAway] = [waiting.monotonic(), false];
    const { exitCode, reason } = outcomeOfRun(run);
    if (run.phase !== phase) waiting.onPhase(run);
    phase = run.phase;
    if (exitCode === null && reason !== null && reason !== problem) {
      waiting.onProblem(reason);
      problem = reason;
    }
    return exitCode ?? undefined;
  };
  const code = await askUntil(ask, waiting);
  if (code !== undefined) return code;
  const seconds = Math.round(waiting.timeoutMs / 1000);
  throw new CommandError(
    `the run was not over within ${seconds} s, and is ${phase}; it goes on`,
    'RUN_TIMEOUT',
  );
}

/** Prints the logs of all pods of a run. @returns exit code */
export async function printLogs(
  client: RemoteClient,
  p: string,
  run: string,
  print: (line: string) => void,
): Promise<number> {
  const { executionData, infra } = await getRun(client, p, { run });
  const pods = podRequests(executionData);
  for (const { name, request, isStep } of pods) {
    const r = { infraID: infra.infraID, experimentRunID: run, ...request };
    const { getPodLog } = await client.graphql<{ getPodLog: { log: string } }>(LOG, { r });
    print(`== ${name}`);
    const logs = podLogs(getPodLog.log);
    // An engine without a workflow has no pod of a step: what stands in its place says only that.
    const shown = isStep || logs.length === 1 ? logs : logs.filter(({ pod }) => pod !== '');
    for (const { pod, text } of shown) {
      if (pod !== '') print(`== pod ${pod}`);
      print(text.trimEnd());
    }
  }
  if (pods.length === 0) print('the run has no pods yet');
  return EXIT.pass;
}

import { readFile } from 'node:fs/promises';
import { systemClock } from '@turnsole/kube/base/clock';
import { messageOf } from '@turnsole/kube/text/error-message';
import { EXIT } from '../../../process/exit-codes.ts';
import { CommandError } from '../../../services/errors.ts';
import { outcomeSentence } from '../../../services/report/outcome/run-outcome.ts';
import { RUN_STATES } from '../../../services/report/outcome/run-states.ts';
import { experimentOf, readExperiment, saveExperiment } from '../../remote/experiments.ts';
import type { RemoteOptions } from '../../remote/open-remote.ts';
import { type Place, placeOf } from '../../remote/place.ts';
import { outcomeOfRun } from '../../remote/remote-outcome.ts';
import { furtherReasons, lineOf } from '../../remote/run-reasons.ts';
import { awaitRun, getRun, printLogs, type RunName, startRun } from '../../remote/runs.ts';
import { stoppable } from '../../stoppable.ts';

/** Options of `turnsole remote experiment run` and `remote run wait`. */
export interface WaitOptions extends RemoteOptions {
  readonly wait?: boolean;
  /** Milliseconds. */
  readonly timeout: number;
}

/** Saves the experiment of a file. */
export async function save(
  file: string,
  options: RemoteOptions & { readonly infra?: string },
): Promise<number> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandError(`cannot read ${file}: ${messageOf(error)}`, 'OPTION_INVALID', { cause: error });
  });
  const experiment = readExperiment(file, text);
  const { client, project } = await placeOf(options);
  const id = await saveExperiment(client, project, experiment, options.infra);
  console.log(`experiment ${experiment.name} saved (${id})`);
  return EXIT.pass;
}

/** Starts a run of an experiment; with `--wait` the exit code is its verdict. */
export async function run(name: string, options: WaitOptions): Promise<number> {
  const { client, project } = await placeOf(options);
  const { experimentID } = await experimentOf(client, project, name);
  const notify = await startRun(client, project, experimentID);
  console.log(notify === '' ? `${name} runs by its schedule` : `run of ${name} ordered (${notify})`);
  if (options.wait !== true || notify === '') return EXIT.pass;
  return follow({ client, project }, { notify }, options.timeout);
}

/** Waits for the end of a run; the exit code is its verdict. */
export async function wait(run: string, options: WaitOptions): Promise<number> {
  // A run that never began has the ID of its start only.
  return follow(await placeOf(options), { run, notify: run }, options.timeout);
}

function follow({ client, project }: Place, name: RunName, timeoutMs: number): Promise<number> {
  return stoppable('the run goes on at the server', async (signal) => {
    const code = await awaitRun(client, project, name, {
      ...{ timeoutMs, signal, sleep: systemClock.sleep, monotonic: systemClock.monotonic },
      onPhase: ({ phase, experimentRunID }) =>
        console.log(`${phase}${experimentRunID === '' ? '' : ` (${experimentRunID})`}`),
      onProblem: (reason) => console.log(`${RUN_STATES.blocked.label}: ${lineOf(reason)}`),
      onAway: (message) => console.error(`${message}; it is asked again`),
    });
    const run = await getRun(client, project, name);
    const { word, reason, score } = outcomeOfRun(run);
    console.log(lineOf(outcomeSentence({ word, ...(reason !== null && { reason }) })));
    console.log(
      `score ${score ?? 'none'}, ${run.faultsPassed ?? 0} of ${run.totalFaults ?? 0} faults passed`,
    );
    if (code !== EXIT.pass) {
      for (const why of furtherReasons(run.executionData, reason ?? '')) console.log(`why: ${why}`);
    }
    return code;
  });
}

const STOP = `mutation ($p: ID!, $i: String!) { stopExperimentRuns(projectID: $p, experimentID: $i) }`;
const DELETE = `mutation ($p: ID!, $i: String!) { deleteChaosExperiment(projectID: $p, experimentID: $i) }`;

/** Stops all runs of an experiment. */
export function stop(name: string, options: RemoteOptions): Promise<number> {
  return change(STOP, name, options, `runs of ${name} are being stopped`);
}

/** Deletes an experiment with its runs. */
export function remove(name: string, options: RemoteOptions): Promise<number> {
  return change(DELETE, name, options, `experiment ${name} deleted`);
}

async function change(mutation: string, name: string, options: RemoteOptions, done: string): Promise<number> {
  const { client, project } = await placeOf(options);
  const { experimentID } = await experimentOf(client, project, name);
  await client.graphql(mutation, { p: project, i: experimentID });
  console.log(done);
  return EXIT.pass;
}

/** Prints the manifest of an experiment as JSON, as it is stored. */
export async function show(name: string, options: RemoteOptions): Promise<number> {
  const { client, project } = await placeOf(options);
  const { experimentManifest } = await experimentOf(client, project, name);
  console.log(experimentManifest);
  return EXIT.pass;
}

/** Prints the logs of a run's pods. */
export async function logs(run: string, options: RemoteOptions): Promise<number> {
  const { client, project } = await placeOf(options);
  return printLogs(client, project, run, (line) => console.log(line));
}

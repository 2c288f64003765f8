import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@turnsole/kube/base/log';
import type { Pod } from '@turnsole/kube/kinds/core';
import { fastClock } from '@turnsole/kube/testing/fast-clock';
import type { ExperimentCluster } from '../../../../test/support/experiment-cluster.ts';
import { ASSIGNMENT_VARIABLE, parseAssignment } from '../../helper/assignment.ts';
import { JOURNAL_VARIABLE } from '../../helper/journal.ts';
import { runHelper } from '../../helper/run-helper.ts';
import type { Fault } from '../fault.ts';

/** Journals of the node that this process stands for; nothing of it outlives the process. */
const journal = join(tmpdir(), `turnsole-journal-${process.pid}`);
process.once('exit', () => rmSync(journal, { recursive: true, force: true }));

/**
 * Runs the helper of a pod in this process, as a node agent would in one of its own; undefined for pods that are no helpers.
 *
 * @param faultOf gives the fault of a name
 */
export async function runHelperPod(
  { client }: Pick<ExperimentCluster, 'client'>,
  faultOf: (name: string) => Fault,
  pod: Pod,
  signal: AbortSignal,
): Promise<'Succeeded' | 'Failed' | undefined> {
  const variables = pod.spec?.containers[0]?.env ?? [];
  // A variable without a value comes from a field: the pod's name.
  const env = Object.fromEntries(variables.map(({ name, value }) => [name, value ?? pod.metadata.name]));
  if (env[ASSIGNMENT_VARIABLE] === undefined) return undefined;
  const assignment = parseAssignment(env[ASSIGNMENT_VARIABLE]);
  const code = await runHelper({
    fault: faultOf(assignment.fault),
    assignment,
    env: { ...env, [JOURNAL_VARIABLE]: journal },
    client,
    clock: fastClock(),
    random: () => 0,
    signal,
    logger: silentLogger,
    print: () => {},
  });
  return code === 0 ? 'Succeeded' : 'Failed';
}

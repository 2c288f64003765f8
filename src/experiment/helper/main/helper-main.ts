import { createLogger } from '@turnsole/kube/base/log';
import type { Environment } from '@turnsole/kube/text/environment';
import { machineReader } from '../../../process/pace/pressure-reader.ts';
import type { FaultRegistry } from '../../injection/fault.ts';
import { type FaultProcessIo, runFaultProcess } from '../../injection/main/fault-process.ts';
import { ASSIGNMENT_VARIABLE, type Assignment, parseAssignment } from '../assignment.ts';
import { runHelper } from '../run-helper.ts';

/**
 * `turnsole helper -name NAME`: does what TURNSOLE_ASSIGNMENT says on this node and gives the exit code: 0 done, 1 failed or
 * aborted (reverted in both cases), 2 could not start.
 */
export function runHelperMain(
  argv: readonly string[],
  env: Environment,
  registry: FaultRegistry,
  io: FaultProcessIo = {},
): Promise<number> {
  const readTask = (): Assignment => parseAssignment(env[ASSIGNMENT_VARIABLE]);
  const input = { program: 'helper', argv, env, registry, io, readTask } as const;
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  return runFaultProcess(input, ({ settings, client, clock, signal }) => {
    const { task: assignment, fault } = settings;
    const { experiment, runId } = assignment;
    const logger = createLogger({ component: 'helper', experiment, runId });
    const pressure = machineReader();
    const own = { assignment, env, random: Math.random, logger, print, registry, pressure };
    return runHelper({ ...own, fault, client, clock, signal });
  });
}

import { systemClock } from '../../kube/runtime/clock.ts';
import { createLogger } from '../../kube/runtime/log.ts';
import type { FaultRegistry } from '../fault.ts';
import { ASSIGNMENT_VARIABLE, type Assignment, parseAssignment } from '../helper/assignment.ts';
import { runHelper } from '../helper/run-helper.ts';
import type { Environment } from '../settings/parse-tunables.ts';
import { runFaultProcess } from './fault-process.ts';
import { type ProcessIo, processIo } from './process-io.ts';

/**
 * `turnsole helper -name NAME`: does what TURNSOLE_ASSIGNMENT says on this node and gives the exit code: 0 done, 1 failed or
 * aborted (reverted in both cases), 2 could not start.
 */
export function runHelperMain(
  argv: readonly string[],
  env: Environment,
  registry: FaultRegistry,
  io: ProcessIo = processIo,
): Promise<number> {
  const readTask = (): Assignment => parseAssignment(env[ASSIGNMENT_VARIABLE]);
  const input = { program: 'helper', argv, env, registry, io, readTask } as const;
  return runFaultProcess(input, ({ task: assignment, ...parts }) => {
    const { experiment, runId } = assignment;
    const logger = createLogger({ component: 'helper', experiment, runId });
    const own = {
      assignment,
      env,
      clock: systemClock,
      random: Math.random,
      logger,
      print: io.print,
      registry,
    };
    return runHelper({ ...parts, ...own });
  });
}

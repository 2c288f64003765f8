import { LABEL_RUN_ID } from '../../../api/index.ts';
import { endHelpers } from '../../../engines/end-helpers.ts';
import { POD_EXIT } from '../../../process/exit-codes.ts';
import { describeError } from '../../injection/errors.ts';
import { openEntries } from '../../injection/ledger/ledger.ts';
import type { FaultProcess } from '../../injection/main/fault-process.ts';
import { recoverEarlier } from '../chaos/recover.ts';
import { createRun } from '../lifecycle/create-run.ts';
import { readSurroundings } from '../lifecycle/open-run.ts';
import type { Run } from '../lifecycle/run.ts';

/** A helper that does not start in this time is on a node that does not answer. */
const HELPER_START_SECONDS = 20;

/**
 * Reverts what a dead experiment left, in a process of its own that the runner or the operator started: first it ends the helpers,
 * which makes them revert; then it reverts the open entries of the ledger. It does not touch the verdict.
 *
 * @returns exit code: 0 nothing of this fault is open any more, 1 something is, and is named in the result's timeline
 */
export async function runRecovery(input: FaultProcess): Promise<number> {
  const env = {
    ...input.env,
    TOTAL_CHAOS_DURATION: '30',
    STATUS_CHECK_TIMEOUT: String(HELPER_START_SECONDS),
    JOB_CLEANUP_POLICY: 'delete',
  };
  const run = createRun({ ...input, env });
  const existing = await run.writer.read(run.stop);
  // Of another run: that one recovers what it finds before it injects anything.
  if (existing === undefined || existing.metadata.labels?.[LABEL_RUN_ID] !== run.settings.runId) {
    return POD_EXIT.done;
  }
  run.timeline.adopt(existing.status?.timeline);
  await readSurroundings(run);
  const errors: unknown[] = [];
  for (const step of [endHelpersOf, revertAll]) {
    try {
      await step(run);
    } catch (error) {
      errors.push(error);
      run.logger.error({ error: describeError(error) }, 'recovery could not do all');
    }
  }
  const left = openEntries((await run.writer.read())?.status?.ledger);
  run.timeline.note({
    step: left.length === 0 ? 'Recovered' : 'RecoveryIncomplete',
    message:
      left.length === 0
        ? 'everything that was injected is reverted'
        : `${left.length} injection(s) are not reverted: ${errors.map(describeError).join('; ')}`,
  });
  await run.writer.write({});
  return left.length === 0 ? POD_EXIT.done : POD_EXIT.failed;
}

/** Helpers of the dead experiment may still be at work; while one reverts, no other component should. */
async function endHelpersOf({ client, settings, clock, fault, stop }: Run): Promise<void> {
  if (fault.where !== 'node') return;
  const { namespace, experiment, runId } = settings;
  await endHelpers({ client, clock, signal: stop, namespace, experiment, runId });
}

async function revertAll(run: Run): Promise<void> {
  await recoverEarlier(run, await run.writer.read());
}

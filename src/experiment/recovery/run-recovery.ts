import { LABEL_RECOVERY, LABEL_RUN_ID, PODS, type Pod } from '../../api/index.ts';
import { waitForList } from '../../kube/runtime/wait.ts';
import { recoverEarlier } from '../chaos/recover.ts';
import { describeError } from '../errors.ts';
import { openEntries } from '../ledger/ledger.ts';
import { createRun, type RunInput } from '../lifecycle/create-run.ts';
import { readSurroundings } from '../lifecycle/open-run.ts';
import type { Run } from '../lifecycle/run.ts';

/** A helper that does not start in this time is on a node that does not answer. */
const HELPER_START_SECONDS = 20;
/** Helpers that are told to end revert first; they have a grace period of 30 s. */
const HELPER_END_LIMIT_MS = 35_000;

/**
 * Reverts what a dead experiment left, in a process of its own that the runner or the operator started: its helpers are told to
 * end, which makes them revert; then the open entries of the ledger are reverted. The verdict is not touched.
 *
 * @returns exit code: 0 nothing of this fault is open any more, 1 something is, and is named in the result's timeline
 */
export async function runRecovery(input: RunInput): Promise<0 | 1> {
  const env = {
    ...input.env,
    TOTAL_CHAOS_DURATION: '30',
    STATUS_CHECK_TIMEOUT: String(HELPER_START_SECONDS),
    JOB_CLEANUP_POLICY: 'delete',
  };
  const run = createRun({ ...input, env });
  const existing = await run.writer.read(run.stop);
  // Of another run: that one recovers what it finds before it injects anything.
  if (existing === undefined || existing.metadata.labels?.[LABEL_RUN_ID] !== run.settings.runId) return 0;
  run.timeline.adopt(existing.status?.timeline);
  await readSurroundings(run);
  const errors: unknown[] = [];
  for (const step of [endHelpers, revertAll]) {
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
  return left.length === 0 ? 0 : 1;
}

/** Helpers of the dead experiment may still be at work; while one reverts, nobody else should. */
async function endHelpers(run: Run): Promise<void> {
  const { client, settings, clock, fault } = run;
  if (fault.where !== 'node') return;
  const { namespace, experiment, runId } = settings;
  const labelSelector = `app=${experiment}-helper-${runId},!${LABEL_RECOVERY}`;
  const isAtWork = ({ status }: Pod): boolean => status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
  const { items } = await client.list<Pod>(PODS, { namespace, labelSelector });
  const atWork = items.filter(isAtWork);
  if (atWork.length === 0) return;
  await Promise.allSettled(
    atWork.map(({ metadata }) =>
      client.delete(PODS, metadata.name, { namespace, preconditions: uidOf(metadata) }),
    ),
  );
  await waitForList<Pod>(client, PODS, (pods) => !pods.some(isAtWork), {
    namespace,
    labelSelector,
    clock,
    signal: run.stop,
    timeoutMs: HELPER_END_LIMIT_MS,
  });
}

function uidOf({ uid }: Pod['metadata']): { readonly uid?: string } {
  return uid === undefined ? {} : { uid };
}

async function revertAll(run: Run): Promise<void> {
  await run.writer.read();
  await recoverEarlier(run);
}

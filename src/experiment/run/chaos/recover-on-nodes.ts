import { isForbidden } from '@turnsole/kube/client/errors';
import type { Pod } from '@turnsole/kube/kinds/core';
import { NODES, PODS } from '@turnsole/kube/kinds/resources';
import { WaitTimeoutError, waitForObject } from '@turnsole/kube/runtime/wait';
import type { LedgerEntry } from '../../../api/index.ts';
import { podHasEnded } from '../../../chaos/pod-end.ts';
import { howFar } from '../../../chaos/pod-start.ts';
import { describeError, HelperError, RevertError } from '../../injection/errors.ts';
import { joinErrors } from '../../injection/injector.ts';
import { openEntries } from '../../injection/ledger/ledger.ts';
import { objectOf } from '../../injection/ledger/ledger-steps.ts';
import type { Run } from '../lifecycle/run.ts';
import { startHelper } from './start-helper.ts';

/** A helper that does not run after this time is on a node that does not answer. */
const START_LIMIT_MS = 20_000;
/** A revert is tried for 30 s; a little more than that. */
const END_LIMIT_MS = 35_000;

/**
 * Has helpers revert open entries on the nodes they are on; each node for itself, so that one that is lost keeps no other waiting. Their
 * windows have to be closed: a helper that reverts what another one has injected does not know until when it was in force.
 * No abort ends it: it is what has to be done in any case, and each of its waits has a limit. What helpers marked is in the
 * result afterwards.
 *
 * @throws RevertError that names what stays open, and on which node
 */
export async function recoverOnNodes(run: Run, entries: readonly LedgerEntry[]): Promise<void> {
  run.ledger.adopt(entries);
  const shares = [...Map.groupBy(entries, ({ target }) => target.node ?? '')];
  const outcomes = await Promise.allSettled(shares.map(([node, share]) => recoverOnNode(run, node, share)));
  const after = await run.writer.read();
  const open = new Set(openEntries(after?.status?.ledger).map(({ id }) => id));
  run.ledger.absorb(Object.values(after?.status?.ledger ?? {}).filter(({ id }) => run.ledger.has(id)));
  const errors = shares.flatMap(([node, share], index) => {
    const left = share.filter(({ id }) => open.has(id));
    if (left.length === 0) return [];
    const outcome = outcomes[index];
    const cause = outcome?.status === 'rejected' ? outcome.reason : undefined;
    const objects = left.map(({ target }) => objectOf(target)).join(', ');
    const why = cause === undefined ? 'its helper did not do it' : describeError(cause);
    const message = `cannot revert ${run.fault.name} on ${objects} (node ${node}): ${why}; the ledger entries stay open`;
    run.timeline.note({ step: 'RevertFailed', object: `node/${node}`, message });
    return [new RevertError(message, { cause })];
  });
  if (errors.length > 0) throw joinErrors(errors);
}

async function recoverOnNode(run: Run, node: string, entries: readonly LedgerEntry[]): Promise<void> {
  if (await isNodeGone(run, node)) {
    await run.ledger.mark(
      entries.map(({ id }) => id),
      'reverted',
      `node ${node} is no more, and with it what was injected there`,
    );
    return;
  }
  const { client, settings, clock } = run;
  const { namespace } = settings;
  const share = { node, targets: entries.map(({ target }) => target) };
  const name = await startHelper(run, share, { recover: entries });
  let seen: Pod | undefined;
  const wait = (isThere: (pod: Pod | undefined) => boolean, timeoutMs: number): Promise<unknown> => {
    const look = (pod: Pod | undefined): boolean => {
      seen = pod;
      return isThere(pod);
    };
    return waitForObject<Pod>(client, PODS, name, look, { namespace, clock, timeoutMs });
  };
  try {
    await wait((pod) => pod === undefined || pod.status?.phase !== 'Pending', START_LIMIT_MS);
    await wait((pod) => pod === undefined || podHasEnded(pod), END_LIMIT_MS);
  } catch (error) {
    if (!(error instanceof WaitTimeoutError)) throw error;
    throw lateHelper(`${namespace}/${name}`, seen, error);
  } finally {
    // One that never started may be held by a dead node; one that reverts does no harm if it goes on a moment longer.
    await client.delete(PODS, name, { namespace, gracePeriodSeconds: 0, repeatable: true }).catch(() => {});
  }
}

/** The message about a helper that could not revert in time; its node is named beside it. */
function lateHelper(
  name: string,
  seen: Pod | undefined,
  { timeoutMs, cause }: WaitTimeoutError,
): HelperError {
  const isPending = seen?.status?.phase === 'Pending';
  const why = seen === undefined ? 'it could not be read' : howFar(seen);
  const message =
    `helper pod ${name} has not ${isPending ? 'started' : 'ended'} within ${timeoutMs / 1000} s: ${why}; look at the node ` +
    '(kubectl describe node) and bring it back, or delete its Node object if it is gone for good';
  return new HelperError(message, { source: name, cause });
}

/** Whether the node's object is gone. A service account that may not read nodes finds out by trying. */
async function isNodeGone({ client }: Run, node: string): Promise<boolean> {
  try {
    return (await client.find(NODES, node, {})) === undefined;
  } catch (error) {
    if (isForbidden(error)) return false;
    throw error;
  }
}

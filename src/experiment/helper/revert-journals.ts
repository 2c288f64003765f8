import { rm } from 'node:fs/promises';
import { isForbidden } from '@turnsole/kube/client/errors';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { podHasEnded } from '../../chaos/pod-end.ts';
import { describeError } from '../injection/errors.ts';
import type { Fault, FaultContext, FaultRegistry } from '../injection/fault.ts';
import { injectionOf } from '../injection/ledger/ledger.ts';
import {
  type FoundJournal,
  readJournalFolder,
  removeDeadDrafts,
  setAside,
  type UnreadJournal,
} from './journal.ts';

/** What reverting the journals of a node needs. */
export interface RevertJournalsInput {
  readonly folder: string;
  readonly server: string;
  /** The pod of this helper, whose own journal is none of its business here. */
  readonly ownPod: string;
  readonly context: FaultContext;
  readonly fault: Fault;
  /** For journals of other faults; without it they are left to those. */
  readonly registry?: FaultRegistry | undefined;
}

/**
 * Reverts what the journals of this node say of helpers that are gone: they were killed, or the node restarted. Their ledgers may
 * be gone with their results. A failure is noted in the timeline, and the file stays. Journals of namespaces that this helper may not look into
 * are neither its own nor a failure: those that may do it. A damaged journal is set aside and told of; one that cannot be read, or that a
 * newer version wrote, is told of as long as it is there and its helper is gone.
 */
export async function revertJournals(input: RevertJournalsInput): Promise<void> {
  await removeDeadDrafts(input.folder, input.context.clock.now());
  const { journals, damaged, unread } = await readFolder(input);
  for (const path of damaged) await tellDamaged(path, input.context);
  await Promise.all(
    unread
      .filter(({ server }) => server === undefined || server === input.server)
      .map((journal) => tellUnread(journal, input.context)),
  );
  const candidates = journals.filter(
    ({ record }) => record.server === input.server && record.pod !== input.ownPod,
  );
  await Promise.all(
    candidates.map(async (journal) => {
      try {
        if (!(await isAtWork(input.context, journal.record))) await revertOne(input, journal);
      } catch (error) {
        // Of a namespace that this helper may not look into: whether its helper lives is for those to find out that may.
        if (error instanceof UnknownOwnerError) return;
        input.context.note('RevertFailed', journal.path, `journal ${journal.path}: ${describeError(error)}`);
      }
    }),
  );
}

/** A folder that cannot be listed may hold anything: that is told, and keeps nobody from the faults of this run. */
async function readFolder({
  folder,
  context,
}: RevertJournalsInput): Promise<Awaited<ReturnType<typeof readJournalFolder>>> {
  try {
    return await readJournalFolder(folder);
  } catch (error) {
    const message = `journals of earlier helpers in ${folder} cannot be listed, so that nothing was reverted by them: ${describeError(error)}; repair that folder on the node`;
    context.note('RevertFailed', folder, message);
    return { journals: [], damaged: [], unread: [] };
  }
}

/** Who wrote it stands in its name. */
async function tellUnread({ path, owner, why }: UnreadJournal, context: FaultContext): Promise<void> {
  // Where that may not be looked at, those tell of it that may.
  if (await isAtWork(context, owner).catch(() => true)) return;
  const { namespace, pod } = owner;
  const message = `journal ${path} ${why}; nothing was reverted by it: see on the node whether a fault of helper ${namespace}/${pod}, which is no more, is still in force`;
  context.note('RevertFailed', path, message);
}

/** Which cluster and run it is of is not known, as nothing in it can be relied on; that something may be in force is. */
async function tellDamaged(path: string, { note }: FaultContext): Promise<void> {
  try {
    await setAside(path);
  } catch {
    // Another helper has just done so.
    return;
  }
  note(
    'RevertFailed',
    path,
    `journal ${path} is damaged, so that nothing was reverted by it: see on the node whether a fault of its pod is still in force; the file is kept as ${path}.damaged`,
  );
}

/** Whether the helper of a journal lives may not be looked at. */
class UnknownOwnerError extends Error {
  override readonly name = 'UnknownOwnerError';
}

/** @throws UnknownOwnerError where pods of the journal's namespace may not be read */
async function isAtWork(
  { client, signal }: FaultContext,
  { namespace, pod: name }: UnreadJournal['owner'],
): Promise<boolean> {
  const pod = await client.find<Pod>(PODS, name, { namespace, signal }).catch((cause: unknown) => {
    throw isForbidden(cause) ? new UnknownOwnerError(name, { cause }) : cause;
  });
  return pod !== undefined && !podHasEnded(pod);
}

async function revertOne(input: RevertJournalsInput, { path, record }: FoundJournal): Promise<void> {
  for (const entry of record.entries) {
    const fault = entry.fault === input.fault.name ? input.fault : await input.registry?.get(entry.fault)?.();
    if (fault === undefined) return;
    await fault.revert(injectionOf(entry), input.context);
    const message = `${entry.fault} of helper ${record.pod}, which is no more, reverted by its journal`;
    input.context.note('Reverted', `${entry.target.kind}/${entry.target.name}`, message);
  }
  await rm(path, { force: true });
}

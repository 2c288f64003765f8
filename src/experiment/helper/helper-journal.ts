import type { Logger } from '@turnsole/kube/base/log';
import type { LedgerEntry } from '../../api/index.ts';
import { describeError } from '../injection/errors.ts';
import type { FaultContext } from '../injection/fault.ts';
import type { LedgerJournal } from '../injection/ledger/ledger-book.ts';
import { NodeError } from '../node/node-error.ts';
import { forgetEntries, JournalFile, type JournalRecord } from './journal.ts';
import { type RevertJournalsInput, revertJournals } from './revert-journals.ts';

/** What the journal of a helper depends on. */
interface HelperJournalOptions extends Pick<RevertJournalsInput, 'fault' | 'registry'> {
  readonly folder: string;
  readonly record: Omit<JournalRecord, 'entries'>;
  /** For messages. */
  readonly node: string;
  readonly logger: Logger;
  /** It injects nothing: what it reverts stands in journals of helpers that died. */
  readonly isRecovery: boolean;
}

/** By these an operating system says that a process may not write there: it has no disk that could be full or broken. */
const MAY_NOT: readonly unknown[] = ['EACCES', 'EPERM', 'EROFS'];

/**
 * The journal of a helper, and its work on the journals of other helpers of its node.
 *
 * Where its folder may not be written, as in a pod without root, the ledger alone has to do: the helper logs that once and injects
 * all the same. A full or broken disk stops the injection, for after a restart of the node no component would find what is in force.
 */
export class HelperJournal implements LedgerJournal {
  readonly #options: HelperJournalOptions;
  readonly #journal: JournalFile;
  #forgetting: Promise<void> = Promise.resolve();
  #hasComplained = false;

  constructor(options: HelperJournalOptions) {
    this.#options = options;
    this.#journal = new JournalFile(options.folder, options.record);
  }

  async opening(open: readonly LedgerEntry[]): Promise<void> {
    try {
      await this.#journal.write(open);
    } catch (cause) {
      if (isForbidden(cause)) return this.#complain(cause, 'no journal on this node; the ledger has to do');
      const { node, folder } = this.#options;
      throw new NodeError(
        `cannot note on node ${node} what is about to be injected there, so that nothing was: its journal in ${folder} cannot be ` +
          'written; make room on that disk, or repair it',
        { cause },
      );
    }
  }

  async closing(ids: ReadonlySet<string>, open: readonly LedgerEntry[]): Promise<void> {
    try {
      // Before the ledger forgets them: a helper that dies in between would leave what no component looks for.
      if (this.#options.isRecovery) await this.#forget(ids);
      else await this.#journal.write(open);
    } catch (error) {
      // Too much stands in it then, which is reverted once more. With its last entry it is removed, which takes no room.
      this.#complain(error, 'a journal says more than is in force');
    }
  }

  /** Reverts what helpers left here that are no more. */
  revertOthers(context: FaultContext): Promise<void> {
    const { folder, record, fault, registry } = this.#options;
    return revertJournals({ folder, server: record.server, ownPod: record.pod, context, fault, registry });
  }

  /** One at a time: each reads the file and writes the rest of it. */
  #forget(ids: ReadonlySet<string>): Promise<void> {
    this.#forgetting = this.#forgetting.catch(() => {}).then(() => forgetEntries(this.#options.folder, ids));
    return this.#forgetting;
  }

  #complain(error: unknown, message: string): void {
    if (this.#hasComplained) return;
    this.#hasComplained = true;
    this.#options.logger.warn({ folder: this.#options.folder, error: describeError(error) }, message);
  }
}

function isForbidden(error: unknown): boolean {
  return error instanceof Error && 'code' in error && MAY_NOT.includes(error.code);
}

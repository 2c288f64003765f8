import type { Clock } from '@turnsole/kube/base/clock';
import type { MergePatch } from '@turnsole/kube/text/merge-patch';
import {
  type ChaosTarget,
  type ForceEnd,
  type InjectionEffect,
  isOpen,
  type LedgerEntry,
  type TargetStatus,
} from '../../../api/index.ts';
import { closed, interrupted, opened, type Span } from '../../../chaos/force-windows.ts';
import { mergeTargets, targetAnnotation } from '../../../chaos/history-targets.ts';
import type { Fault, Injection } from '../fault.ts';
import { entriesToForget, injectionOf, isLasting, type Ledger, markEntry, plannedEntry } from './ledger.ts';

/** Fields that a planned entry does not have yet. */
const LATER_FIELDS = {
  injectedAt: null,
  revertedAt: null,
  message: null,
  effect: null,
  inForce: null,
} as const;

/** Stores a merge patch of the ChaosResult. */
interface PatchSink {
  write(patch: MergePatch): Promise<void>;
}

/** Keeps the open entries in a second place. */
export interface LedgerJournal {
  /** Called with all open entries before new ones of them are injected. Rejects where nothing may be injected without it. */
  opening(open: readonly LedgerEntry[]): Promise<void>;
  /** Called with the entries that are about to be closed, and those that stay open. Never rejects: what is reverted is reverted. */
  closing(ids: ReadonlySet<string>, open: readonly LedgerEntry[]): Promise<void>;
}

/** What a ledger book needs. */
interface LedgerBookOptions {
  readonly fault: Pick<Fault, 'name' | 'shape' | 'targetStatus' | 'historyTarget'>;
  readonly sink: PatchSink;
  readonly clock: Clock;
  /** How long an injection is meant to be in force. */
  readonly holdMs: number;
  readonly journal?: LedgerJournal;
}

/**
 * The ledger entries of this process: writes them in the order that makes recovery possible (planned before the side effect,
 * its outcome after it), and the annotations from which an abort by others learns the targets.
 */
export class LedgerBook {
  readonly #options: LedgerBookOptions;
  readonly #entries = new Map<string, LedgerEntry>();
  /** Ids whose last mark could not be stored. */
  readonly #unstored = new Set<string>();
  #targets: readonly ChaosTarget[] = [];

  constructor(options: LedgerBookOptions) {
    this.#options = options;
  }

  /**
   * Stores the entries; nothing may be injected before this resolves, or when it does not. One request for all.
   *
   * @param kind what a fault puts up beside its pulses is `lasting`, and no target of the history @default as the fault's shape says
   */
  async plan(injections: readonly Injection[], kind?: 'lasting'): Promise<void> {
    const { fault, clock, holdMs, sink } = this.#options;
    const entries = injections.map((injection) =>
      plannedEntry(
        fault.name,
        injection,
        clock.now(),
        holdMs,
        kind === 'lasting' ? 'sustained' : fault.shape,
      ),
    );
    for (const entry of entries) this.#entries.set(entry.id, entry);
    const forgotten = entriesToForget(this.ledger);
    for (const id of forgotten) this.#entries.delete(id);
    await sink.write({
      status: {
        ledger: {
          ...Object.fromEntries(forgotten.map((id) => [id, null])),
          // A patch merges: what an earlier incarnation of the same run noted under this id must not stay.
          ...Object.fromEntries(entries.map((entry) => [entry.id, { ...LATER_FIELDS, ...entry }])),
        },
      },
    });
    // After the ledger: a journal that no ledger knows of would lie there until the next helper runs on this node.
    try {
      await this.#options.journal?.opening(this.open);
    } catch (error) {
      const ids = entries.map(({ id }) => id);
      // If that is not stored, a recovery finds them planned and reverts what never was.
      await this.mark(ids, 'failed', 'nothing was injected: it could not be noted before').catch(() => {});
      throw error;
    }
  }

  /** Takes over entries that another process planned. */
  adopt(entries: readonly LedgerEntry[]): void {
    for (const entry of entries) this.#entries.set(entry.id, entry);
  }

  /** Takes over entries that helpers have written, with their targets. */
  absorb(entries: readonly LedgerEntry[]): void {
    for (const entry of entries) {
      this.#entries.set(entry.id, entry);
      const status = this.#targetStatus(entry.state);
      if (status !== undefined) this.#record(entry, status, {});
    }
  }

  /**
   * Marks the outcome of some injections. Resolves when it is stored; several marks of a moment become one request. A mark that could not
   * be stored goes out again with the next one, even if that says nothing new.
   */
  async mark(ids: readonly string[], state: LedgerEntry['state'], message?: string): Promise<void> {
    const ledger: Record<string, LedgerEntry> = {};
    const annotations: Record<string, string> = {};
    for (const id of new Set([...ids, ...this.#unstored])) {
      const entry = this.#entries.get(id);
      if (entry === undefined) continue;
      const marked = ids.includes(id) ? markEntry(entry, state, this.#options.clock.now(), message) : entry;
      if (marked === entry && !this.#unstored.has(id)) continue;
      this.#entries.set(id, marked);
      ledger[id] = marked;
      const status = this.#targetStatus(marked.state);
      if (status !== undefined) this.#record(marked, status, annotations);
    }
    if (Object.keys(ledger).length === 0) return;
    // Before the ledger, for the same reason.
    if (state !== 'injected') await this.#options.journal?.closing(new Set(Object.keys(ledger)), this.open);
    try {
      await this.#options.sink.write({
        status: { ledger },
        ...(Object.keys(annotations).length === 0 ? {} : { metadata: { annotations } }),
      });
      for (const id of Object.keys(ledger)) this.#unstored.delete(id);
    } catch (error) {
      for (const id of Object.keys(ledger)) this.#unstored.add(id);
      throw error;
    }
  }

  /** An injection is in force from now on, for the first time or again. Does not wait until that is stored. */
  began(id: string): void {
    this.#remember(id, (windows) => opened(windows, this.#options.clock.now()));
  }

  /** An injection is in force no longer, or why that is so is known better. Does not wait until that is stored. */
  lapsed(id: string, why: ForceEnd): void {
    this.#remember(id, (windows) => closed(windows, this.#options.clock.now(), why), why === 'Reverted');
  }

  /** An injection was not in force for a while, as is known only now. Does not wait until that is stored. */
  interrupted(id: string, span: Span, why: ForceEnd): void {
    this.#remember(id, (windows) => interrupted(windows, span, why));
  }

  /** @param isMarked whether a mark follows that stores it */
  #remember(
    id: string,
    change: (windows: LedgerEntry['inForce']) => LedgerEntry['inForce'],
    isMarked = false,
  ): void {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.instant === true) return;
    const inForce = change(entry.inForce);
    if (inForce === entry.inForce || inForce === undefined) return;
    this.#entries.set(id, { ...entry, inForce });
    if (entry.state !== 'injected' || isMarked) return;
    this.#unstored.add(id);
    // If this cannot be stored now, the next mark stores it.
    this.mark([], 'injected').catch(() => {});
  }

  /** Keeps the effect of an injection; its next mark stores that. */
  noteEffect(id: string, effect: InjectionEffect): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#entries.set(id, { ...entry, effect });
  }

  /** Stores once more what could not be stored; nothing is written when all was. */
  async storeAgain(): Promise<void> {
    await this.mark([], 'done');
  }

  /** Whether this process planned it or took it over. */
  has(id: string): boolean {
    return this.#entries.has(id);
  }

  /** Entries of this process. */
  get ledger(): Ledger {
    return Object.fromEntries(this.#entries);
  }

  /** What may be in force. */
  get open(): readonly LedgerEntry[] {
    return [...this.#entries.values()].filter(isOpen);
  }

  /** The targets that were hit, as history.targets lists them. */
  get targets(): readonly ChaosTarget[] {
    return this.#targets;
  }

  #targetStatus(state: LedgerEntry['state']): string | undefined {
    const { fault } = this.#options;
    if (state === 'reverted') return 'reverted';
    if (state === 'injected' || state === 'done') {
      return fault.targetStatus ?? (fault.shape === 'pulse' ? 'targeted' : 'injected');
    }
    return undefined;
  }

  #record(entry: LedgerEntry, status: string, annotations: Record<string, string>): void {
    if (this.#options.fault.shape === 'pulse' && isLasting(entry)) return;
    const target = historyTarget(this.#options.fault, injectionOf(entry));
    if (target === undefined) return;
    // The word is a fault's, which may only use those of the vocabulary.
    const chaosStatus = status as TargetStatus;
    this.#targets = mergeTargets(this.#targets, [{ ...target, chaosStatus }]);
    const key = targetAnnotation(target);
    if (isAnnotationKey(key)) annotations[key] = status;
  }
}

/** Name and kind of an injection's target in history.targets; undefined when it is none there. */
export function historyTarget(
  fault: Pick<Fault, 'historyTarget'>,
  injection: Injection,
): { kind: string; name: string } | undefined {
  const found = fault.historyTarget === undefined ? injection.target : fault.historyTarget(injection);
  return found === undefined ? undefined : { kind: found.kind, name: found.name };
}

/** Kubernetes takes at most 63 characters behind the slash; a longer pod name stands in the ledger only. */
function isAnnotationKey(key: string): boolean {
  return /^[a-z0-9]([-a-z0-9]*[a-z0-9])?\/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(key);
}

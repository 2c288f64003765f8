/**
 * What the ledger of a run says of effects. An injection is without effect only where that is known; what cannot be known is no
 * objection.
 */
import type { InjectionEffect, LedgerEntry } from '../api/ledger.ts';

/** An entry whose injection is known to have had no effect. */
type EntryWithoutEffect = LedgerEntry & { readonly effect: InjectionEffect };

/** The injections that are known to have had no effect. Pure. */
export function withoutEffect(entries: readonly LedgerEntry[]): EntryWithoutEffect[] {
  return entries.filter((entry): entry is EntryWithoutEffect => entry.effect?.seen === false);
}

/** Whether the fault had no effect on any target. False as soon as the effect on one target is not known. Pure. */
export function hadNoEffect(entries: readonly LedgerEntry[]): boolean {
  const injected = entries.filter(({ injectedAt }) => injectedAt !== undefined);
  return injected.length > 0 && withoutEffect(injected).length === injected.length;
}

/**
 * The injections of which it is not known whether they had an effect, where none of the run is known to have had one: the target was
 * gone when it would have been asked, or nothing counts there. What was done at once (a deleted pod) is its own effect. Pure.
 */
export function ofUnknownEffect(entries: readonly LedgerEntry[]): LedgerEntry[] {
  const injected = entries.filter(({ injectedAt }) => injectedAt !== undefined);
  if (injected.some(({ state, effect }) => state === 'done' || effect?.seen === true)) return [];
  return injected.filter(({ effect }) => effect === undefined);
}

/** `pod shop/web-1: no connection came to port 9999`. Pure. */
export function describeEffect({ target, effect }: EntryWithoutEffect): string {
  return `${describeTarget(target)}: ${effect.message}`;
}

/** `pod shop/web-1 (app)`. Pure. */
export function describeTarget({ kind, namespace, name, container }: LedgerEntry['target']): string {
  const object = namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
  return container === undefined ? object : `${object} (${container})`;
}

/**
 * What the ledger of a run says of effects. An injection is without effect only where that is known; what cannot be known is no
 * objection.
 */
import type { InjectionEffect, LedgerEntry } from './ledger.ts';

/** An entry whose injection is known to have had no effect. */
export type EntryWithoutEffect = LedgerEntry & { readonly effect: InjectionEffect };

/** The injections that are known to have had no effect. Pure. */
export function withoutEffect(entries: readonly LedgerEntry[]): EntryWithoutEffect[] {
  return entries.filter((entry): entry is EntryWithoutEffect => entry.effect?.seen === false);
}

/** Whether nothing that was injected had an effect, as far as known: of no target of it may be unknown. Pure. */
export function hadNoEffect(entries: readonly LedgerEntry[]): boolean {
  const injected = entries.filter(({ injectedAt }) => injectedAt !== undefined);
  return injected.length > 0 && withoutEffect(injected).length === injected.length;
}

/** `pod shop/web-1: no connection came to port 9999`. Pure. */
export function describeEffect({ target, effect }: EntryWithoutEffect): string {
  const { kind, namespace, name, container } = target;
  const object = namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
  return `${object}${container === undefined ? '' : ` (${container})`}: ${effect.message}`;
}

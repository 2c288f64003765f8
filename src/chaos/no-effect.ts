/**
 * What the ledger of a run says of effects. An injection is without effect only where that is known; what cannot be known is no
 * objection.
 */
import type { InjectionEffect, LedgerEntry } from '../api/ledger.ts';

/** An entry whose effect was counted. */
type EntryWithEffect = LedgerEntry & { readonly effect: InjectionEffect };

/** The injections that are known to have had no effect. Pure. */
export function withoutEffect(entries: readonly LedgerEntry[]): EntryWithEffect[] {
  return entries.filter((entry): entry is EntryWithEffect => entry.effect?.seen === false);
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

/** A load that got less than this share of what was asked for puts an application under another strain than was meant. */
export const SMALL_SHARE = 0.1;

/** The injections whose load got next to none of what was asked for, where none of the run is known to have done more. Pure. */
export function ofSmallEffect(entries: readonly LedgerEntry[]): EntryWithEffect[] {
  const injected = entries.filter(({ injectedAt }) => injectedAt !== undefined);
  const isSmall = ({ effect }: LedgerEntry): boolean => (effect?.share ?? 1) < SMALL_SHARE;
  const felt = injected.filter(({ state, effect }) => state === 'done' || effect?.seen === true);
  return felt.every(isSmall)
    ? felt.filter((entry): entry is EntryWithEffect => entry.effect !== undefined)
    : [];
}

/** `pod shop/web-1: no connection came to port 9999`. Pure. */
export function describeEffect({ target, effect }: EntryWithEffect): string {
  return `${describeTarget(target)}: ${effect.message}`;
}

/** `pod shop/web-1 (app)`. Pure. */
export function describeTarget({ kind, namespace, name, container }: LedgerEntry['target']): string {
  const object = namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
  return container === undefined ? object : `${object} (${container})`;
}

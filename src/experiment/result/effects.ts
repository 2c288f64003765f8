import type { LedgerEntry } from '../../api/index.ts';
import { describeEffect, hadNoEffect, withoutEffect } from '../../api/no-effect.ts';
import { type ErrorOutput, errorOutputOf, NoEffectError } from '../errors.ts';

/** What the effects of a run mean for its judgement. */
export interface Effects {
  /** Targets on which there was no effect, each with why that is known: `pod shop/web-1: no connection came to port 9999`. */
  readonly missing: readonly string[];
  /** Why the run is a Fail for that; undefined where it is not. */
  readonly objection: ErrorOutput | undefined;
}

/**
 * Looks at what the ledger entries of a run say of effects. One target with an effect, or of which that is not known, is enough for a
 * fault not to be without one: a replica to which nobody talks is a warning, no failure. Pure.
 *
 * @param isRequired whether the engine says `spec.requireEffect`
 */
export function judgeEffects(
  experiment: string,
  entries: readonly LedgerEntry[],
  isRequired: boolean,
): Effects {
  const missing = withoutEffect(entries).map(describeEffect);
  if (!isRequired || !hadNoEffect(entries)) return { missing, objection: undefined };
  const error = new NoEffectError(
    `${experiment} had no effect: ${missing.join('; ')}; correct its settings, or send it load while it lasts ` +
      '(spec.requireEffect makes this a failure)',
  );
  return { missing, objection: errorOutputOf(error, 'ChaosInject') };
}

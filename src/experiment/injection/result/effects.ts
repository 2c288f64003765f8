import type { LedgerEntry } from '../../../api/index.ts';
import {
  describeEffect,
  describeTarget,
  hadNoEffect,
  ofUnknownEffect,
  withoutEffect,
} from '../../../chaos/no-effect.ts';
import { type ErrorOutput, errorOutputOf, NoEffectError } from '../errors.ts';

/** What the effects of a run mean for its judgement. */
export interface Effects {
  /** Targets on which there was no effect, each with why that is known: `pod shop/web-1: no connection came to port 9999`. */
  readonly missing: readonly string[];
  /** Targets of which that is not known, where the engine requires an effect and none is known of any. */
  readonly unknown: readonly string[];
  /** Why the run is a Fail for that; undefined where it is not. */
  readonly objection: ErrorOutput | undefined;
}

/**
 * Judges the effects in the ledger entries of a run. One target with an effect, or with an unknown one, is enough for a fault not to
 * count as one without effect: a replica without clients is a warning, no failure. When the engine requires an effect and none is known
 * of any target, the judgement reports that, which is no failure either: a target that went meanwhile cannot be asked. Pure.
 *
 * @param isRequired whether the engine sets `spec.requireEffect`
 */
export function judgeEffects(
  experiment: string,
  entries: readonly LedgerEntry[],
  isRequired: boolean,
): Effects {
  const missing = withoutEffect(entries).map(describeEffect);
  if (!isRequired) return { missing, unknown: [], objection: undefined };
  const unknown = ofUnknownEffect(entries).map(({ target }) => describeTarget(target));
  if (!hadNoEffect(entries)) return { missing, unknown, objection: undefined };
  const error = new NoEffectError(
    `${experiment} had no effect: ${missing.join('; ')}; correct its settings, or send it load while it lasts ` +
      '(spec.requireEffect makes this a failure)',
  );
  return { missing, unknown, objection: errorOutputOf(error, 'ChaosInject') };
}

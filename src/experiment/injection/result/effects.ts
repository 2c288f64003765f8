import type { LedgerEntry } from '../../../api/index.ts';
import {
  describeEffect,
  describeTarget,
  hadNoEffect,
  ofSmallEffect,
  ofUnknownEffect,
  SMALL_SHARE,
  withoutEffect,
} from '../../../chaos/no-effect.ts';
import type { Objection } from './objection.ts';

/** What the effects of a run mean for its judgement. */
export interface Effects {
  /** Targets on which there was no effect, each with why that is known: `pod shop/web-1: no connection came to port 9999`. */
  readonly missing: readonly string[];
  /** Targets of which that is not known, where no effect is known of any. */
  readonly unknown: readonly string[];
  /** Targets on which a load got next to none of what was asked for, where no other had more; each with what it got. */
  readonly small: readonly string[];
  /** Why the run is no Pass for that; undefined where it may be one. */
  readonly objection: Objection | undefined;
}

/**
 * Judges the effects in the ledger entries of a run. One target with an effect is enough for a fault not to count as one without
 * effect: a replica without clients is a warning, no failure. When the engine requires an effect, and is known to have had none on all
 * targets, that is a failure; when it is not known of some, and of no target that there was one, the run does not show what it
 * was required to show; nor does it where a load got next to none of what was asked for. Pure.
 *
 * @param isRequired whether the engine sets `spec.requireEffect`
 */
export function judgeEffects(
  experiment: string,
  entries: readonly LedgerEntry[],
  isRequired: boolean,
): Effects {
  const missing = withoutEffect(entries).map(describeEffect);
  const unknown = ofUnknownEffect(entries).map(({ target }) => describeTarget(target));
  const small = ofSmallEffect(entries).map(describeEffect);
  const found = { missing, unknown, small };
  return {
    ...found,
    objection: isRequired ? objectionOf(experiment, found, hadNoEffect(entries)) : undefined,
  };
}

function objectionOf(
  experiment: string,
  { missing, unknown, small }: Omit<Effects, 'objection'>,
  hadNone: boolean,
): Objection | undefined {
  if (hadNone) {
    const reason =
      `${experiment} had no effect on ${missing.join('; ')}; correct its settings, or send the target load while it lasts ` +
      '(spec.requireEffect makes this a failure)';
    return { code: 'NO_EFFECT', verdict: 'Fail', reason };
  }
  if (small.length > 0) {
    const reason = `${smallWords(experiment, small)}, and spec.requireEffect asks for an effect; give the target more, or ask for less`;
    return { code: 'EFFECT_TOO_SMALL', verdict: 'Error', reason };
  }
  if (unknown.length === 0) return undefined;
  const reason =
    `whether ${experiment} had an effect is not known of ${unknown.join('; ')}, and spec.requireEffect asks for one; ` +
    'the timeline has what happened to these targets';
  return { code: 'EFFECT_UNKNOWN', verdict: 'Error', reason };
}

/** `pod-cpu-hog got less than 10 % of what was asked for on pod shop/web-1: …`. Pure. */
export function smallWords(experiment: string, small: readonly string[]): string {
  return `${experiment} got less than ${SMALL_SHARE * 100} % of what was asked for on ${small.join('; ')}`;
}

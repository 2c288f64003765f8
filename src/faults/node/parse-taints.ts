import type { TunableProblem } from '../../experiment/injection/settings/parse-tunables.ts';
import type { Taint } from './claims.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;
const DEFAULT_VALUE = 'node-taint';
const DEFAULT_EFFECT = 'NoExecute';

/** A name of a label: up to 63 characters, begun and ended by a letter or digit. */
const NAME = '[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const PREFIX = '[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?';
const TAINT = new RegExp(`^((?:${PREFIX}/)?${NAME})(?:=(${NAME})?)?(?::(.*))?$`);

/** What TAINTS takes, in words. */
export const TAINT_FORM = `key=value:effect with effect ${EFFECTS.join(', ')}, each key and effect once`;

/**
 * Reads TAINTS: `key=value:effect`, several separated by commas. The value is `node-taint` without an `=`, and empty after a bare
 * one; the effect is NoExecute by default. Pure.
 */
export function parseTaints(items: readonly string[]): {
  readonly taints: readonly Taint[];
  readonly problems: readonly TunableProblem[];
} {
  const taints: Taint[] = [];
  const problems: TunableProblem[] = [];
  for (const found of items) {
    const taint = parseTaint(found);
    const isTwice = taints.some(({ key, effect }) => key === taint?.key && effect === taint.effect);
    if (taint === undefined || isTwice) problems.push({ variable: 'TAINTS', found, expected: TAINT_FORM });
    else taints.push(taint);
  }
  return { taints, problems };
}

function parseTaint(text: string): Taint | undefined {
  const parts = TAINT.exec(text);
  if (parts === null) return undefined;
  const [, key = '', value, effect = DEFAULT_EFFECT] = parts;
  if (!(EFFECTS as readonly string[]).includes(effect)) return undefined;
  const isBare = /^[^:]*=/.test(text);
  return { key, value: value ?? (isBare ? '' : DEFAULT_VALUE), effect };
}

/**
 * Kinds of marks on the time axis, from the least to the worst. If several marks share a pixel, the worst is shown, so the order of
 * this list matters.
 */
export const KINDS = [
  'life',
  'step',
  'chaos',
  'recovered',
  'passed',
  'unready',
  'injected',
  'ineffective',
  'error',
  'failure',
  'open',
] as const;

/** One of {@link KINDS}. */
export type Kind = (typeof KINDS)[number];

/** Names of kinds for users. */
export const KIND_WORDS: Readonly<Record<Kind, string>> = {
  life: 'at work',
  step: 'step',
  chaos: 'time of chaos',
  recovered: 'recovered',
  passed: 'passed',
  unready: 'not ready',
  injected: 'injected',
  ineffective: 'without effect',
  error: 'error',
  failure: 'failed',
  open: 'not reverted',
};

/** Index of a kind in {@link KINDS}, for typed arrays. */
export function kindNumber(kind: Kind): number {
  return KINDS.indexOf(kind);
}

/** Reverses {@link kindNumber}. */
export function kindOf(number: number): Kind {
  return KINDS[number] ?? 'step';
}

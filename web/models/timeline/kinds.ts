/**
 * What a mark of the time axis may be, from the least to the worst. Where several marks share a pixel the worst is shown, so the place in
 * this list is part of its meaning.
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

/** What a kind is called where a person reads or hears it. */
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

/** Place of a kind in {@link KINDS}, as typed arrays keep it. */
export function kindNumber(kind: Kind): number {
  return KINDS.indexOf(kind);
}

/** The kind of a number that {@link kindNumber} gave. */
export function kindOf(number: number): Kind {
  return KINDS[number] ?? 'step';
}

import { ManifestError } from './manifest-error.ts';

/** Default weight of a fault. */
const DEFAULT_WEIGHT = 10;

/** Weights in a request, by the name of their fault. */
export type GivenWeights = ReadonlyMap<string, number>;

/**
 * Weight of a fault in the score of its runs: that of the request, else that of the label, else 10. Pure.
 *
 * @throws ManifestError for a label that is no whole number, or less than 0
 */
export function weightOf(fault: string, label: unknown, given: GivenWeights): number {
  const weight = given.get(fault) ?? fromLabel(label);
  if (!Number.isSafeInteger(weight) || weight < 0) throw new ManifestError('failed to convert');
  return weight;
}

function fromLabel(label: unknown): number {
  if (label === undefined || label === null || label === '') return DEFAULT_WEIGHT;
  const text = String(label);
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
}

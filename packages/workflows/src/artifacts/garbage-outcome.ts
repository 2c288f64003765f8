import { parseJson } from '@turnsole/kube/text/json';

/** The outcome that a pod reports that deletes artifacts: for each, in their order, null or why it is still there. */
type GarbageOutcome = readonly (string | null)[];

/** The kubelet keeps so much of a termination message; JSON may double what it escapes. */
const MOST_BYTES = 4096;

/** Its text, short enough for a termination message: texts are shortened, and which artifacts are meant is always said. */
export function writeOutcome(outcome: GarbageOutcome): string {
  for (const most of [1000, 300, 100, 30, 0]) {
    const text = JSON.stringify(outcome.map((problem) => problem?.slice(0, most) ?? null));
    if (Buffer.byteLength(text) <= MOST_BYTES) return text;
  }
  throw new RangeError(`what became of ${outcome.length} artifacts does not fit into a termination message`);
}

/** Undefined for a text that is not the outcome of exactly so many artifacts. */
export function readOutcome(text: string, count: number): GarbageOutcome | undefined {
  const value = parseJson(text);
  if (!Array.isArray(value) || value.length !== count) return undefined;
  const isOutcome = value.every((one) => one === null || typeof one === 'string');
  return isOutcome ? (value as GarbageOutcome) : undefined;
}

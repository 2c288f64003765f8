import type { EngineVerdict } from '../api/schema/vocabulary.ts';

/** From the worst to the best: an engine is as good as its worst experiment. */
const WORST_FIRST: readonly EngineVerdict[] = ['Error', 'Fail', 'Stopped', 'Awaited', 'N/A', 'Pass'];

/** The verdict of a whole run: that of its worst experiment; undefined before any has begun. Pure. */
export function verdictOfEngine(
  experiments: readonly { readonly verdict: EngineVerdict }[] | null | undefined,
): EngineVerdict | undefined {
  const verdicts = new Set((experiments ?? []).map(({ verdict }) => verdict));
  return WORST_FIRST.find((verdict) => verdicts.has(verdict));
}

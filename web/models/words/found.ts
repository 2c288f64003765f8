import { plainText } from './plain.ts';

/** What results say of a probe that has found nothing, in the words of LitmusChaos. */
const NOT_EVALUATED = 'Either probe is not executed or not evaluated';

/** What a probe found, as a reader sees it. Pure. */
export function foundWords(description: string): string {
  return description === NOT_EVALUATED
    ? 'nothing yet: it was not asked, or not judged'
    : plainText(description);
}

import { plainText } from './plain.ts';

/** How results say in the words of LitmusChaos that a probe has found nothing. */
const NOT_EVALUATED = 'Either probe is not executed or not evaluated';

/** What a probe found, as a reader sees it. Pure. */
export function foundWords(description: string): string {
  return plainText(description.replace(NOT_EVALUATED, 'it was not asked, or not judged'));
}

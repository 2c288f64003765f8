import { plainWords } from '../../../src/services/report/error-words.ts';
import { plainText } from './plain.ts';

/** What a probe found, as a reader sees it. Pure. */
export function foundWords(description: string): string {
  return plainText(plainWords(description));
}

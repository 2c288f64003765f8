/** What cannot be seen, and what changes how the rest is shown. Joiners stay: they belong to letters and pictures. */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
/** The same in a text of several lines. */
const UNSEEN_IN_LINES = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text of others in one line for a terminal: a blank for each run of what cannot be seen there. Pure. */
export function asOneLine(text: string): string {
  return text.replace(new RegExp(`(?:${UNSEEN.source})+`, 'gu'), ' ');
}

/** A text of others for a terminal, its lines as they are: each as {@link asOneLine} has it. Pure. */
export function asLines(text: string): string {
  return text.split('\n').map(asOneLine).join('\n');
}

/** Whether a text holds what cannot be seen, line feeds included. Pure. */
export function hasUnseen(text: string): boolean {
  return text.search(UNSEEN) >= 0;
}

/**
 * A text in a language in which all such characters stand within strings in double quotes, as JSON, with escapes in their place: what reads it gets the same,
 * and a terminal shows it as it is. Pure.
 */
export function withEscapes(text: string): string {
  return text.replace(UNSEEN_IN_LINES, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

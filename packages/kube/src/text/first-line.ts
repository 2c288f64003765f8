/** What cannot be seen, and what would change how the rest is shown. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * The first line of a text that has any, with what cannot be seen written out (`\x1b`, `\u202e`), and cut after `limit` characters.
 * Empty for a text of blanks. For texts of strangers in messages. Pure.
 */
export function firstLine(text: string, limit: number): string {
  const line = text.split(/[\r\n]+/).find((one) => one.trim() !== '') ?? '';
  const trimmed = line.trim();
  const shown = trimmed.length > limit ? `${trimmed.slice(0, limit)}…` : trimmed;
  return shown.replace(UNSEEN, written);
}

function written(character: string): string {
  if (character === '\t') return ' ';
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Controls, and characters that turn the direction of what follows or take no room; the joiner stays, which writing systems and emoji need. */
const UNSEEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}]/gu;

/**
 * A text of the cluster as it may stand in a sentence: what would change how the rest is read is shown as `\u202e`. Escaping markup is not
 * enough for that, as one character that turns the direction makes a sentence say something else. Pure.
 */
export function plainText(text: string): string {
  return text.replace(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** Colours and cursor moves, as programs write them for terminals. Source: ECMA-48, 5.4. */
const TERMINAL = new RegExp(`${String.fromCodePoint(0x1b)}\\[[0-9;?]*[ -/]*[@-~]`, 'g');

/** Lines of a log without what is meant for a terminal, and otherwise like {@link plainText}. Pure. */
export function plainLog(text: string): string {
  return plainText(text.replace(TERMINAL, '').replaceAll('\r\n', '\n'));
}

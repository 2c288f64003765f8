/** Control characters, and characters that change the text direction or are invisible, except joiners, which writing systems and emoji need. */
const UNSEEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}]/gu;

/**
 * A text of the cluster in a form that is safe in a sentence: characters that would change how the rest is read are shown as `\u202e`. Escaping
 * markup is not enough, because one character that changes the text direction can change the meaning of a sentence. Pure.
 */
export function plainText(text: string): string {
  return text.replace(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** Escape sequences for colours and cursor moves in terminals. Source: ECMA-48, 5.4. */
const TERMINAL = new RegExp(`${String.fromCodePoint(0x1b)}\\[[0-9;?]*[ -/]*[@-~]`, 'g');

/** Lines of a log without terminal escapes, and otherwise like {@link plainText}. Pure. */
export function plainLog(text: string): string {
  return plainText(text.replace(TERMINAL, '').replaceAll('\r\n', '\n'));
}

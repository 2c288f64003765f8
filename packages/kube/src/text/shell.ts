/** Quotes a word where a POSIX shell would otherwise read another one. Pure. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Joins words to a command line that a POSIX shell splits into the same words. Pure. */
export function commandLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

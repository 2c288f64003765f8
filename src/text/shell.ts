/** A word as a POSIX shell reads it back, whatever is in it. Pure. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A command line of words for a POSIX shell. Pure. */
export function commandLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** Gives a word as a POSIX shell reads it back, whatever is in it; pure. */
export function quote(word: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A command line out of words; pure. */
export function commandLine(words: readonly string[]): string {
  return words.map(quote).join(' ');
}

/** Words that start a program, as a project's own files have them. */

/** The words of the last ENTRYPOINT and CMD of a Dockerfile; undefined where it has none that are plain words. Pure. */
export function wordsOfDockerfile(text: string): readonly string[] | undefined {
  const lines = text.replaceAll(/\\\r?\n/g, ' ').split('\n');
  const last = (word: string): readonly string[] | undefined => {
    const line = lines.findLast((one) => new RegExp(`^\\s*${word}\\s`, 'i').test(one));
    return line === undefined ? undefined : wordsOf(line.trim().slice(word.length).trim());
  };
  const words = [...(last('ENTRYPOINT') ?? []), ...(last('CMD') ?? [])];
  return words.length === 0 ? undefined : words;
}

/** What package.json says of starting and building; nothing where it is broken. Pure. */
export function scriptsOfPackage(text: string): {
  readonly start?: readonly string[] | undefined;
  readonly hasBuild: boolean;
} {
  try {
    const { scripts = {}, main } = JSON.parse(text) as { scripts?: Record<string, unknown>; main?: unknown };
    const { start, build } = scripts;
    const words =
      typeof start === 'string' ? wordsOf(start) : typeof main === 'string' ? ['node', main] : undefined;
    return { start: words, hasBuild: typeof build === 'string' };
  } catch {
    return { hasBuild: false };
  }
}

/** The exec form is JSON; the shell form is a text, of which only plain words are taken. */
function wordsOf(text: string): readonly string[] | undefined {
  try {
    const words: unknown = JSON.parse(text);
    if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words;
  } catch {
    // The shell form.
  }
  return /["'$&|;<>`]/.test(text) ? undefined : text.split(/\s+/);
}

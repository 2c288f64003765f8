/** The first character that is wrong, in the words that clients of Argo know. */
export function jsonProblem(text: string): string {
  const trimmed = text.trimStart();
  if (trimmed === '') return 'unexpected end of JSON input';
  for (const literal of ['null', 'true', 'false']) {
    if (trimmed[0] !== literal[0]) continue;
    const at = [...literal].findIndex((letter, index) => trimmed[index] !== letter);
    if (at < 0) break;
    const found = trimmed[at];
    if (found === undefined) return 'unexpected end of JSON input';
    return `invalid character '${found}' in literal ${literal} (expecting '${literal[at]}')`;
  }
  if (!/^["[{\d-]/.test(trimmed)) return `invalid character '${trimmed[0]}' looking for beginning of value`;
  return 'unexpected end of JSON input';
}

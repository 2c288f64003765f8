/** Lines below their title; none without lines. Pure. */
export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`  ${title}:`, ...lines.map((line) => `    ${line}`)];
}

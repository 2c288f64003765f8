/** Items of a list that is separated by commas, trimmed, without empty ones. Pure. */
export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

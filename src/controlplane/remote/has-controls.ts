/** Line ends and other signs below the blank would end a line of a setting or of a log. */
export function hasControls(text: string): boolean {
  return [...text].some((sign) => sign < ' ' || sign === '\u007f');
}

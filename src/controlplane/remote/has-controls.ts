/** Whether a text has control characters, which could end a line of a setting or of a log. */
export function hasControls(text: string): boolean {
  return [...text].some((sign) => sign < ' ' || sign === '\u007f');
}

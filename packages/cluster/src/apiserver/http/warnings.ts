/** Longer ones are not read; clients refuse headers that are much longer. The real server stops there too. */
const MAX_CHARACTERS = 4096;

/**
 * The value of a Warning header (RFC 7234, code 299), which kubectl shows. Several warnings make one line, separated by
 * commas (RFC 9110, section 5.3). The texts hold names that clients chose: whatever is no printable ASCII is escaped,
 * because nothing else may stand in a header. What is too long is left out.
 */
export function warningHeader(warnings: readonly string[]): string {
  const shown: string[] = [];
  let length = 0;
  for (const text of warnings) {
    const item = `299 - ${JSON.stringify(text).replace(/[^ -~]/g, escaped)}`;
    length += item.length + 2;
    if (length > MAX_CHARACTERS) break;
    shown.push(item);
  }
  return shown.length > 0 ? shown.join(', ') : '299 - "there are warnings, which are too long to be shown"';
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * The texts of a Warning header (RFC 7234, code 299), with which API servers warn writers of deprecated, unknown and ineffective
 * things. Leaves out what it cannot read. Pure.
 *
 * @param header several warnings are separated by commas
 */
export function parseWarnings(header: string | undefined): string[] {
  return [...(header ?? '').matchAll(/(?:^|[\s,])299 \S+ ("(?:[^"\\]|\\.)*")/g)].map(([, quoted = '']) =>
    unquote(quoted),
  );
}

function unquote(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    // Escapes that JSON does not know stand for the character itself (RFC 9110, section 5.6.4).
    return quoted.slice(1, -1).replace(/\\(.)/g, '$1');
  }
}

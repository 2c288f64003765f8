/**
 * Field selectors: `metadata.name=web,status.phase!=Running`. Backslash escapes backslash, comma and equals sign.
 *
 * Source: kubernetes.io, Field Selectors. What a real API server accepts is recorded in
 * `test-data/recorded-selectors.json`. Which fields a kind offers is the server's business, not of this file.
 */

/** One condition on one field. */
interface FieldRequirement {
  /** Path with dots, such as `status.phase`. */
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** All conditions must hold; none means that everything matches. */
export type ParsedFieldSelector = readonly FieldRequirement[];

/** The selector cannot be read; `message` is the API server's. */
export class FieldSelectorError extends Error {
  override readonly name = 'FieldSelectorError';
}

/**
 * Reads the text; empty terms are left out, so empty text selects everything.
 *
 * @throws FieldSelectorError
 */
export function parseFieldSelector(text: string): ParsedFieldSelector {
  return splitTerms(text)
    .filter((term) => term !== '')
    .map((term) => {
      const match = /^((?:\\[\s\S]|[^\\=!]|!(?!=))*)(==|!=|=)([\s\S]*)$/.exec(term);
      if (match === null) {
        throw new FieldSelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
      }
      const [, field = '', operator, value = ''] = match;
      return { field, operator: operator === '!=' ? '!=' : '=', value: unescapeValue(value) };
    });
}

/** Splits at commas that no backslash stands before. */
function splitTerms(text: string): string[] {
  return (text.match(/(?:\\[\s\S]|[^\\,]|\\$)+/g) ?? []).filter((term) => term !== '');
}

function unescapeValue(value: string): string {
  return value.replace(/\\([\s\S]?)|[=,]/g, (found: string, escaped: string | undefined) => {
    if (escaped === undefined) {
      const code = found.codePointAt(0);
      throw new FieldSelectorError(`invalid field selector: unescaped character in value: ${code}`);
    }
    if (!['\\', ',', '='].includes(escaped)) {
      throw new FieldSelectorError(`invalid field selector: invalid escape sequence: \\${escaped}`);
    }
    return escaped;
  });
}

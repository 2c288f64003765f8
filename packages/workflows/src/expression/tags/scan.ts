import { ExpressionError } from '../errors.ts';

/** A piece of a text with tags. */
type Piece =
  | { readonly kind: 'text'; readonly text: string }
  /** `{{name}}`: what stands between the braces, as it is. */
  | { readonly kind: 'simple'; readonly body: string }
  /** `{{=expression}}`. */
  | { readonly kind: 'expression'; readonly body: string };

/**
 * Splits a text at its tags. A tag ends at the first `}}` after it begins, wherever that is.
 *
 * @throws ExpressionError for a `{{` without a `}}`
 */
export function scanTags(text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (;;) {
    const open = text.indexOf('{{', at);
    if (open < 0) break;
    const close = text.indexOf('}}', open + 2);
    if (close < 0) {
      const shown = JSON.stringify(text.slice(at, at + 100));
      throw new ExpressionError(
        `Cannot find end tag="}}" in the template=${shown} starting from ${JSON.stringify(text.slice(open + 2))}`,
      );
    }
    if (open > at) pieces.push({ kind: 'text', text: text.slice(at, open) });
    const body = text.slice(open + 2, close);
    pieces.push(
      body.startsWith('=') ? { kind: 'expression', body: body.slice(1) } : { kind: 'simple', body },
    );
    at = close + 2;
  }
  if (at < text.length) pieces.push({ kind: 'text', text: text.slice(at) });
  return pieces;
}

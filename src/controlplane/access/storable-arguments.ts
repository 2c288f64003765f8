import type { Arguments, Operation } from './operations.ts';
import { Refusal } from './refusal.ts';

const NUL = '\u0000';

/**
 * The arguments, without NUL in any text: PostgreSQL does not accept it, and programs may show a text only up to it. A request of a user is
 * refused; in reports of agents a mark replaces it, since an agent would send the same again.
 *
 * @throws Refusal naming the field
 */
export function storableArguments({ access }: Operation, args: Arguments): Arguments {
  const field = fieldWithNul(args);
  if (field === undefined) return args;
  if (access.by === 'agent') return marked(args) as Arguments;
  throw new Refusal('invalid', `${field} holds the character NUL, which no text here may have`, {
    fields: [field],
  });
}

/** Path of the first text with NUL. Iterative, since the nesting of bodies has no limit. */
function fieldWithNul(args: Arguments): string | undefined {
  const left: { readonly path: string; readonly value: unknown }[] = [{ path: '', value: args }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { path, value } = next;
    if (typeof value === 'string' && value.includes(NUL)) return path;
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, inner] of Object.entries(value)) {
      left.push({ path: path === '' ? name : `${path}.${name}`, value: inner });
    }
  }
  return undefined;
}

/** Arguments of agents have the shape of the schema, which is not deep. */
function marked(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(NUL, '\ufffd');
  if (Array.isArray(value)) return value.map(marked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, marked(inner)]));
}

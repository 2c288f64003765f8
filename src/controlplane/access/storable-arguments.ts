import type { Arguments, Operation } from './operations.ts';
import { Refusal } from './refusal.ts';

const NUL = '\u0000';
/** Entries of a list in a user's request: databases have a limit for the values of one query, and a page sends some dozens. */
const MOST_ENTRIES = 1_000;

/**
 * The arguments, without NUL in any text: PostgreSQL does not accept it, and programs may show a text only up to it. A request of a user is
 * refused, as is one with a list that is too long; in reports of agents, whose size the body's limit bounds, a mark replaces NUL, since an agent would send
 * the same again.
 *
 * @throws Refusal naming the field
 */
export function storableArguments({ access }: Operation, args: Arguments): Arguments {
  const isAgents = access.by === 'agent';
  const problem = problemIn(args, isAgents ? Number.POSITIVE_INFINITY : MOST_ENTRIES);
  if (problem === undefined) return args;
  if (isAgents) return marked(args) as Arguments;
  throw new Refusal('invalid', `${problem.field} ${problem.why}`, { fields: [problem.field] });
}

/** The first text with NUL, or list that is too long. Iterative, since the nesting of bodies has no limit. */
function problemIn(args: Arguments, mostEntries: number): { field: string; why: string } | undefined {
  const left: { readonly path: string; readonly value: unknown }[] = [{ path: '', value: args }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { path, value } = next;
    if (typeof value === 'string' && value.includes(NUL)) {
      return { field: path, why: 'holds the character NUL, which no text here may have' };
    }
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value) && value.length > mostEntries) {
      return { field: path, why: `has ${value.length} entries; ${mostEntries} are allowed` };
    }
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

import { isObject } from '@turnsole/kube/text/json';
import { scanTags } from '../expression/tags/scan.ts';

/** The names that tags may use at a place. Immutable: `with` gives a larger one. */
export class Scope {
  readonly #names: ReadonlySet<string>;
  /** Every name that begins with one of these is taken as known: what it stands for is only known while the workflow runs. */
  readonly #prefixes: readonly string[];
  /** The scope that this one adds to: chained, so that a thousand tasks with a few names of their own do not copy all others each. */
  readonly #below: Pick<Scope, 'has'> | undefined;

  constructor(names: Iterable<string> = [], prefixes: readonly string[] = [], below?: Pick<Scope, 'has'>) {
    this.#names = new Set(names);
    this.#prefixes = prefixes;
    this.#below = below;
  }

  with(names: Iterable<string>, prefixes: readonly string[] = []): Scope {
    return new Scope(names, prefixes, this);
  }

  /** With names that are looked up when a tag asks for them. */
  withLookup(isKnown: (name: string) => boolean): Scope {
    return new Scope([], [], { has: (name) => isKnown(name) || this.has(name) });
  }

  has(name: string): boolean {
    if (this.#names.has(name) || this.#prefixes.some((prefix) => name.startsWith(prefix))) return true;
    return this.#below?.has(name) ?? false;
  }
}

/** A tag that names nothing, and where it stands below the value that was looked through. */
interface UnknownTag {
  /** `.arguments.parameters[0].value`; empty for the value itself. */
  readonly path: string;
  /** As it is written, with its braces. */
  readonly tag: string;
}

/** Names with these roots belong to workflows, so an unknown one is a mistake. Any other reaches the container as text. */
const ROOTS = /^(?:item|steps|tasks|inputs|outputs|pod|workflow)\./;

/** Every tag in the texts of a value whose name is not in scope. Does not look into expressions: they may name later values. Pure. */
export function unknownTags(value: unknown, scope: Scope, path = ''): UnknownTag[] {
  if (typeof value === 'string') return unknownIn(value, scope).map((tag) => ({ path, tag }));
  if (Array.isArray(value)) {
    return value.flatMap((element, index) => unknownTags(element, scope, `${path}[${index}]`));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, field]) => unknownTags(field, scope, `${path}.${key}`));
}

function unknownIn(text: string, scope: Scope): string[] {
  const open = text.lastIndexOf('{{');
  if (open < 0) return [];
  const isClosed = text.includes('}}', open);
  const tags = scanTags(isClosed ? text : text.slice(0, open)).flatMap((piece) => {
    if (piece.kind !== 'simple') return [];
    const name = innermost(piece.body).trim();
    return ROOTS.test(name) && !scope.has(name) ? [`{{${piece.body}}}`] : [];
  });
  // A tag that is never closed names nothing.
  return isClosed ? tags : [...tags, text.slice(open)];
}

/** The innermost tag: of `workflow.parameters.{{inputs.parameters.key`, the part that is replaced first. */
function innermost(body: string): string {
  const inner = body.lastIndexOf('{{');
  return inner < 0 ? body : body.slice(inner + 2);
}

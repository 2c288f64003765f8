import type { Value } from '../../expression/values.ts';

/** An output of a node that did not run and has no default: it exists, and has no value. */
export const ABSENT = Symbol('absent');

export type NameValue = string | typeof ABSENT;

/** Dotted names and what they stand for. */
export interface Names {
  /** The text of a simple tag; undefined for a name that is not known (yet). */
  readonly get: (name: string) => NameValue | undefined;
  /** Names with values for the environment of an expression that reads `wanted`; others need not be there. */
  readonly entries: (wanted: ReadonlySet<string>) => Iterable<readonly [name: string, value: Value]>;
}

export function namesOf(values: ReadonlyMap<string, string>): Names {
  return { get: (name) => values.get(name), entries: () => values };
}

/** Several layers as one; earlier ones win. */
export function layered(...layers: readonly Names[]): Names {
  return {
    get: (name) => {
      for (const layer of layers) {
        const value = layer.get(name);
        if (value !== undefined) return value;
      }
      return undefined;
    },
    *entries(wanted) {
      for (const layer of layers.toReversed()) yield* layer.entries(wanted);
    },
  };
}

/** One name whose text is made on demand. */
export function lazily(name: string, text: () => string): Names {
  return {
    get: (asked) => (asked === name ? text() : undefined),
    entries: (wanted) => ([...wanted].some((asked) => isWithin(name, asked)) ? [[name, text()]] : []),
  };
}

function isWithin(name: string, asked: string): boolean {
  return asked === name || name.startsWith(`${asked}.`) || asked.startsWith(`${name}.`);
}

import type { Field } from './codec.ts';

/** One of some words. */
export function oneOf<const Word extends string>(words: readonly [Word, ...Word[]]): Field<Word> {
  return {
    initial: words[0],
    parse: (text) => words.find((word) => word === text),
    format: (word) => word,
  };
}

/** A set of names, in any order. */
export const names: Field<ReadonlySet<string>> = {
  initial: new Set(),
  parse: (value) => {
    try {
      return new Set(
        value
          .split(',')
          .filter((name) => name !== '')
          .map(decodeURIComponent),
      );
    } catch {
      // A percent sign that begins no character.
      return undefined;
    }
  },
  format: (set) => [...set].toSorted().map(encodeURIComponent).join(','),
};

/** A whole number from 0, or none. */
export const count: Field<number | undefined> = {
  initial: undefined,
  parse: (value) => (/^\d{1,9}$/.test(value) ? Number(value) : undefined),
  format: (value) => (value === undefined ? '' : String(value)),
};

/** A part of a run in seconds: `12.5-40`; none is the whole. */
export const span: Field<{ readonly fromMs: number; readonly toMs: number } | undefined> = {
  initial: undefined,
  parse: (value) => {
    const [, from = '', to = ''] = /^(-?\d+(?:\.\d+)?)-(-?\d+(?:\.\d+)?)$/.exec(value) ?? [];
    const [fromMs, toMs] = [Math.round(Number(from) * 1000), Math.round(Number(to) * 1000)];
    return from !== '' && toMs > fromMs ? { fromMs, toMs } : undefined;
  },
  format: (value) =>
    value === undefined ? '' : `${Math.round(value.fromMs) / 1000}-${Math.round(value.toMs) / 1000}`,
};

/** A moment of a run in seconds: `12.5`; none is no moment. */
export const moment: Field<number | undefined> = {
  initial: undefined,
  parse: (value) => (/^\d{1,9}(?:\.\d{1,3})?$/.test(value) ? Math.round(Number(value) * 1000) : undefined),
  format: (value) => (value === undefined ? '' : String(Math.round(value) / 1000)),
};

/** A text, empty at first. */
export const text: Field<string> = { initial: '', parse: (value) => value, format: (value) => value };

/** A day of the reader, `2026-11-24`; empty for none. */
export const day: Field<string> = {
  initial: '',
  parse: (value) => {
    if (!/^\d{4}-\d\d-\d\d$/.test(value)) return undefined;
    return Number.isNaN(Date.parse(`${value}T00:00`)) ? undefined : value;
  },
  format: (value) => value,
};

/** Order of a list by a column: `name`, or `-name` with the largest first; none is its default order. */
export const order: Field<{ readonly by: string; readonly isDown: boolean } | undefined> = {
  initial: undefined,
  parse: (value) => {
    const [, down, by = ''] = /^(-?)([a-z]+)$/i.exec(value) ?? [];
    return by === '' ? undefined : { by, isDown: down === '-' };
  },
  format: (value) => (value === undefined ? '' : `${value.isDown ? '-' : ''}${value.by}`),
};

import type { FunctionTable } from '../functions/row.ts';
import { FunctionValue, newMap, type ValueMap } from '../values.ts';
import { COLLECTIONS } from './collections.ts';
import { DATES } from './dates.ts';
import { ENCODING } from './encoding.ts';
import { NUMBERS } from './numbers.ts';
import { TEXTS } from './texts.ts';
import { TYPES } from './types.ts';

const ALL: FunctionTable = { ...TEXTS, ...NUMBERS, ...COLLECTIONS, ...TYPES, ...DATES, ...ENCODING };

/** Sprig's functions, by the names with which expressions call them: `sprig.trim`. */
export const SPRIG_FUNCTIONS: FunctionTable = Object.fromEntries(
  Object.entries(ALL).map(([name, row]) => [`sprig.${name}`, row]),
);

/** What the name `sprig` stands for in the environment of an expression. */
export const SPRIG: ValueMap = newMap(
  Object.keys(ALL).map((name) => [name, new FunctionValue(`sprig.${name}`)]),
);

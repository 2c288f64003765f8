import { toFloat, toInt } from '../../expression/functions/numbers.ts';
import { asText, type FunctionTable } from '../../expression/functions/row.ts';
import { SPRIG_FUNCTIONS } from '../../expression/sprig/table.ts';
import { toJson } from '../../expression/values.ts';
import { readJsonPath } from './json-path.ts';

/** Functions that workflows add to the expression language. */
export const FUNCTIONS: FunctionTable = {
  ...SPRIG_FUNCTIONS,
  asInt: { arity: [1, 1], run: ([value = null]) => toInt(value) },
  asFloat: { arity: [1, 1], run: ([value = null]) => toFloat(value) },
  toJson: { arity: [1, 1], run: ([value = null]) => toJson(value) ?? '' },
  jsonpath: { arity: [2, 2], run: ([text, path]) => readJsonPath(asText(text), asText(path)) },
};

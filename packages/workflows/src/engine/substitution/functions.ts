import { toFloat, toInt } from '../../expression/functions/numbers.ts';
import { asText, type FunctionTable, takes } from '../../expression/functions/row.ts';
import { SPRIG_FUNCTIONS } from '../../expression/sprig/table.ts';
import { toJson } from '../../expression/values.ts';
import { readJsonPath } from './json-path.ts';

/** Functions that workflows add to the expression language. */
export const FUNCTIONS: FunctionTable = {
  ...SPRIG_FUNCTIONS,
  asInt: takes(1, ([value = null]) => toInt(value)),
  asFloat: takes(1, ([value = null]) => toFloat(value)),
  toJson: takes(1, ([value = null]) => toJson(value) ?? ''),
  jsonpath: takes(2, ([text, path]) => readJsonPath(asText(text), asText(path))),
};

import { evaluateJsonPath, isOnePlace, JsonPathError, parseJsonPath } from '@turnsole/kube/text/json-path';
import { ExpressionError } from '../../expression/errors.ts';
import { evaluateExpression } from '../../expression/evaluate.ts';
import { newMap, type Value } from '../../expression/values.ts';

/**
 * What a JSONPath finds in a JSON text: a path that names one place gives its value, any other a list. Conditions of filters are
 * expressions of workflows.
 *
 * @throws ExpressionError for text that is no JSON, a path of another form, or a place that is not there
 */
export function readJsonPath(text: string, path: string): Value {
  const steps = parsePath(path);
  const found = evaluateJsonPath(steps, parse(text)) as readonly Value[];
  if (!isOnePlace(steps)) return found;
  const [first] = found;
  if (first === undefined) throw new ExpressionError(`JSONPath ${JSON.stringify(path)} finds nothing`);
  return first;
}

function parsePath(path: string): ReturnType<typeof parseJsonPath> {
  try {
    return parseJsonPath(path, expression);
  } catch (cause) {
    if (!(cause instanceof JsonPathError)) throw cause;
    const message = `JSONPath ${JSON.stringify(path)} cannot be read`;
    throw new ExpressionError(message, undefined, undefined, { cause });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ExpressionError(`jsonpath: the text is no JSON`, undefined, undefined, { cause });
  }
}

/** A condition as an expression in which `@` is the element; an element on which it fails does not fulfil it. */
function expression(condition: string): (element: unknown) => boolean {
  const text = condition.replaceAll('@', ELEMENT);
  return (element) => {
    try {
      return evaluateExpression(text, newMap([[ELEMENT, element as Value]])) === true;
    } catch (error) {
      if (error instanceof ExpressionError) return false;
      throw error;
    }
  };
}

const ELEMENT = 'element';

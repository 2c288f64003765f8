import { type FieldError } from '@turnsole/kube/schema/field-error';
import { asJson, asObjects, asString, type Json } from '../object.ts';
import { FieldErrors } from './field.ts';
import { checkLabelValue, checkQualifiedName } from './names.ts';

/** Problems of a map of labels, such as those of a selector. */
export function validateLabels(labels: Json | undefined, path: string): FieldError[] {
  const errors = new FieldErrors();
  for (const [key, value] of Object.entries(labels ?? {})) {
    errors.named(path, key, checkQualifiedName);
    errors.named(path, asString(value), checkLabelValue);
  }
  return errors;
}

/** Problems of the labels and expressions of a selector. */
export function validateSelectorParts(selector: Json, path: string): FieldErrors {
  const errors = new FieldErrors();
  for (const [index, expression] of asObjects(selector.matchExpressions).entries()) {
    const at = `${path}.matchExpressions[${index}]`;
    const operator = asString(expression.operator);
    const count = Array.isArray(expression.values) ? expression.values.length : 0;
    if (operator === 'In' || operator === 'NotIn') {
      if (count === 0)
        errors.required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
    } else if (operator !== 'Exists' && operator !== 'DoesNotExist') {
      errors.invalid(`${at}.operator`, operator, 'not a valid selector operator');
    }
  }
  errors.push(...validateLabels(asJson(selector.matchLabels), `${path}.matchLabels`));
  return errors;
}

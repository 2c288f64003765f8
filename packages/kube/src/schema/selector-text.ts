import { FieldSelectorError, parseFieldSelector } from '../text/field-selector.ts';
import { LabelSelectorError, parseLabelSelector } from '../text/label-selector.ts';
import { type FieldError, invalid } from './field-error.ts';
import type { PathSegment } from './path.ts';
import { selectableFields } from './selectable-fields.ts';

type Path = readonly PathSegment[];

/** Whether a text holds a template (`{{ … }}`): what becomes of it is known only when it is used. */
export function hasTemplate(text: string): boolean {
  return text.includes('{{');
}

/** The text form of a label selector; blank is right, and so is what a template will become. */
export function validateLabelSelectorText(text: string, path: Path): FieldError[] {
  return selectorErrors(text, path, parseLabelSelector, 'label selector such as app=web,tier!=db');
}

/** The text form of a field selector; blank is right, and so is what a template will become. */
function validateFieldSelectorText(text: string, path: Path): FieldError[] {
  return selectorErrors(text, path, parseFieldSelector, 'field selector such as status.phase=Running');
}

/** The same for objects of one resource, each of which can be selected by some of its fields only. */
export function validateFieldSelectorOf(
  { group, resource }: { readonly group: string; readonly resource: string },
  text: string,
  path: Path,
): FieldError[] {
  const errors = validateFieldSelectorText(text, path);
  if (errors.length > 0 || hasTemplate(text)) return errors;
  const offered = selectableFields(group, resource);
  return parseFieldSelector(text).flatMap(({ field }) => {
    if (/[<>!~\s]$/.test(field)) {
      const problem = `field selectors know = and != only; "${field.trim()}" is no field`;
      return [invalid(path, text, `${problem}; compare other values with a cmdProbe`)];
    }
    if (offered === undefined || offered.includes(field)) return [];
    return [invalid(path, text, `${resource} cannot be selected by ${field}, only by ${offered.join(', ')}`)];
  });
}

function selectorErrors(
  text: string,
  path: Path,
  parse: (text: string) => unknown,
  form: string,
): FieldError[] {
  if (hasTemplate(text)) return [];
  try {
    parse(text);
    return [];
  } catch (error) {
    if (!(error instanceof LabelSelectorError) && !(error instanceof FieldSelectorError)) throw error;
    return [invalid(path, text, `must be a ${form}: ${error.message}`)];
  }
}

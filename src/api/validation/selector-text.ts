import { FieldSelectorError, parseFieldSelector } from '../../text/field-selector.ts';
import { LabelSelectorError, parseLabelSelector } from '../../text/label-selector.ts';
import { type FieldError, invalid } from './field-error.ts';
import type { PathSegment } from './path.ts';

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
export function validateFieldSelectorText(text: string, path: Path): FieldError[] {
  return selectorErrors(text, path, parseFieldSelector, 'field selector such as status.phase=Running');
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

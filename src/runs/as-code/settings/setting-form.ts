import { formatDuration, parseDuration } from '@turnsole/kube/text/duration';
import { parseQuantity, quantityToNumber } from '@turnsole/kube/text/quantity';
import { describeForm } from '../../../experiment/injection/settings/describe-tunable.ts';
import { formatTunable, parseTunables } from '../../../experiment/injection/settings/parse-tunables.ts';
import type { Tunable } from '../../../experiment/injection/tunables.ts';

/** What code gives for a setting: texts carry their unit, and what has no unit is a number. */
export type SettingForm =
  | 'duration'
  | 'percentage'
  | 'percentage-range'
  | 'size'
  | 'number'
  | 'number-range'
  | 'boolean'
  | 'choice'
  | 'text'
  | 'list'
  | 'map';

const TIME_MS: Readonly<Record<string, number>> = { milliseconds: 1, seconds: 1000 };
const SIZE_BYTES: Readonly<Record<string, number>> = {
  kibibytes: 1024,
  mebibytes: 1024 ** 2,
  gibibytes: 1024 ** 3,
};

/** The form of a setting's value in code. Pure. */
export function formOf(tunable: Tunable): SettingForm {
  switch (tunable.type) {
    case 'duration':
    case 'boolean':
    case 'choice':
    case 'text':
    case 'list':
    case 'map':
      return tunable.type;
    case 'percentage':
      return tunable.range === true ? 'percentage-range' : 'percentage';
    default: {
      const { unit = '', range = false } = tunable;
      if (TIME_MS[unit] !== undefined) return 'duration';
      if (SIZE_BYTES[unit] !== undefined) return 'size';
      if (unit === 'percent') return range ? 'percentage-range' : 'percentage';
      return range ? 'number-range' : 'number';
    }
  }
}

/** Examples of each form, for messages. */
const EXAMPLES: Readonly<Record<SettingForm, string>> = {
  duration: "a time with its unit, such as '15s', '250ms' or '1m30s'",
  percentage: "a percentage, such as '30%'",
  'percentage-range': "a percentage or a range of them, such as '30%' or '30-50%'",
  size: "a size with its unit, such as '64Mi' or '2Gi'",
  number: 'a number',
  'number-range': "a number, or a range such as '2-5'",
  boolean: 'true or false',
  choice: 'a text',
  text: 'a text',
  list: "a list of texts, such as ['a', 'b']",
  map: "an object of texts, such as { key: 'value' }",
};

/** A value as the variable of the experiment says it, or what is expected in its place. */
type WrittenSetting = { readonly text: string } | { readonly expected: string };

/**
 * A value of a setting as its variable says it. The bounds are those by which experiments judge the variable. Pure.
 *
 * @param name of the setting's variable
 */
export function writeSetting(variable: string, tunable: Tunable, value: unknown): WrittenSetting {
  const text = textOf(tunable, value);
  if (text === undefined) return { expected: expectedOf(tunable) };
  // An empty text means the default to an experiment, and so cannot be what was meant by giving it.
  if (text.trim() === '' && value !== '')
    return { expected: `${EXAMPLES[formOf(tunable)]} that is not empty` };
  const { problems } = parseTunables(
    { [variable]: { ...tunable, required: false } },
    { [variable]: text },
    () => 0,
  );
  const [problem] = problems;
  return problem === undefined ? { text } : { expected: expectedOf(tunable) };
}

function expectedOf(tunable: Tunable): string {
  const form = formOf(tunable);
  const bounds = describeForm(tunable);
  return form === 'choice' || form === 'boolean' ? bounds : `${EXAMPLES[form]} (${bounds})`;
}

function textOf(tunable: Tunable, value: unknown): string | undefined {
  const form = formOf(tunable);
  switch (form) {
    case 'duration':
      return typeof value === 'string' ? durationText(tunable, value) : undefined;
    case 'percentage':
      return percentText(value, /^\d+(?:\.\d+)?%$/);
    case 'percentage-range':
      return percentText(value, /^\d+(?:-\d+)?%$/);
    case 'size':
      return typeof value === 'string' ? sizeText(tunable, value) : undefined;
    case 'number':
      return numberText(value);
    case 'number-range':
      return typeof value === 'string' && /^\d+-\d+$/.test(value) ? value : numberText(value);
    case 'boolean':
      return typeof value === 'boolean' ? String(value) : undefined;
    case 'choice':
    case 'text':
      return typeof value === 'string' ? value : undefined;
    case 'list':
      return isTexts(value) && value.every((item) => !item.includes(',')) ? value.join(',') : undefined;
    case 'map':
      return isTextMap(value) ? formatTunable(tunable, value) : undefined;
  }
}

function percentText(value: unknown, form: RegExp): string | undefined {
  return typeof value === 'string' && form.test(value) ? value.slice(0, -1) : undefined;
}

function numberText(value: unknown): string | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
}

/** A number without a unit is no time here, although manifests take one. */
function durationText(tunable: Tunable, value: string): string | undefined {
  const milliseconds = durationMs(value);
  if (milliseconds === undefined) return undefined;
  if (tunable.type === 'duration') return formatDuration(milliseconds);
  const unitMs = 'unit' in tunable ? TIME_MS[tunable.unit ?? ''] : undefined;
  return unitMs === undefined ? undefined : wholeText(tunable, milliseconds / unitMs);
}

/** Milliseconds of a time with a unit; undefined for anything else. Pure. */
export function durationMs(value: string): number | undefined {
  if (!/[a-z]/.test(value)) return undefined;
  try {
    return parseDuration(value);
  } catch {
    return undefined;
  }
}

function sizeText(tunable: Tunable, value: string): string | undefined {
  if (!/^\d+(?:\.\d+)?[KMGTk]i?$/.test(value)) return undefined;
  const unitBytes = 'unit' in tunable ? SIZE_BYTES[tunable.unit ?? ''] : undefined;
  return unitBytes === undefined
    ? undefined
    : wholeText(tunable, quantityToNumber(parseQuantity(value)) / unitBytes);
}

/** Settings in whole numbers of their unit take no fraction of it. */
function wholeText(tunable: Tunable, count: number): string | undefined {
  return tunable.type === 'integer' && !Number.isInteger(count) ? undefined : String(count);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && item.trim() !== '');
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((item) => typeof item === 'string')
  );
}

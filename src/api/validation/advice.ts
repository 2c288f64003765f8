import { type FieldError, plainErrorBody, plainFieldError } from '@turnsole/kube/schema/field-error';
import type { PathSegment } from '@turnsole/kube/schema/path';
import { isObject } from '@turnsole/kube/text/json';

/** The sentence of a problem with what to write instead, where the value shows what was meant: `…; write "5s"`. Pure. */
export function explainFieldError(error: FieldError, object: unknown): string {
  return plainFieldError(error) + adviceText(error, object);
}

/** The same without the path. Pure. */
export function explainErrorBody(error: FieldError, object: unknown): string {
  return plainErrorBody(error) + adviceText(error, object);
}

function adviceText(error: FieldError, object: unknown): string {
  const advice = adviceFor(error, object);
  return advice === undefined ? '' : `; ${advice}`;
}

/** Fields that hold a duration; LitmusChaos before 3 took numbers there. */
const DURATION_FIELDS: readonly PathSegment[] = [
  'probeTimeout',
  'interval',
  'probePollingInterval',
  'initialDelay',
  'evaluationTimeout',
  'minInterval',
];

function adviceFor({ type, detail, segments }: FieldError, object: unknown): string | undefined {
  if (type !== 'FieldValueTypeInvalid') return undefined;
  const [, expected] = /in body must be of type (\w+):/.exec(detail) ?? [];
  const value = valueAt(object, segments);
  const field = segments.at(-1);
  switch (expected) {
    case 'string':
      return adviceForText(field, value, valueAt(object, segments.slice(0, -2)));
    case 'integer':
    case 'number':
      return adviceForNumber(value);
    case 'boolean':
      return value === 'true' || value === 'false' ? `write ${value}, without quotes` : undefined;
    case 'object':
      return adviceForObject(field, value);
    case 'array':
      return value === null ? 'leave it out' : 'write a list: each item begins with "- "';
    default:
      return undefined;
  }
}

function adviceForText(field: PathSegment | undefined, value: unknown, probe: unknown): string | undefined {
  if (typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  if (typeof value !== 'number' || !DURATION_FIELDS.includes(field ?? ''))
    return `write ${JSON.stringify(String(value))}, with quotes`;
  const isHttp = isObject(probe) && probe.type === 'httpProbe';
  const seconds = `write "${value}s"`;
  return isHttp && field === 'probeTimeout'
    ? `${seconds}, or "${value}ms": numbers were seconds in LitmusChaos before 3, and milliseconds for httpProbes of some releases`
    : `${seconds}: numbers were seconds in LitmusChaos before 3`;
}

function adviceForNumber(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const [, number] = /^\s*(-?\d+(?:\.\d+)?)\s*s?\s*$/.exec(value) ?? [];
  return number === undefined ? undefined : `write ${number}, without quotes`;
}

function adviceForObject(field: PathSegment | undefined, value: unknown): string | undefined {
  if (field === 'source' && typeof value === 'string')
    return 'leave it out to run the command in the experiment pod, or name the image of a pod of its own: source.image';
  if (field === 'components' && Array.isArray(value)) return 'write this list as components.env';
  return value === null ? 'leave it out' : undefined;
}

function valueAt(object: unknown, segments: readonly PathSegment[]): unknown {
  return segments.reduce<unknown>((value, segment) => {
    if (Array.isArray(value)) return typeof segment === 'number' ? value[segment] : undefined;
    return isObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
  }, object);
}

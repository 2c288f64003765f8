import { isObject, parseObject } from '@turnsole/kube/text/json';
import { projectTermsOf } from '../../api/probe-types/index.ts';
import type { KeptProbe, ProbeEntry } from './manifest-probe.ts';

/** Properties under `runProperties` in a manifest; all others are inputs. */
const RUN_PROPERTIES = [
  'probeTimeout',
  'interval',
  'retry',
  'attempt',
  'probePollingInterval',
  'initialDelay',
  'evaluationTimeout',
  'stopOnFailure',
];

/** An invalid `source` of a cmdProbe, which is text in the API and an object in engines. */
export class ProbeSourceError extends Error {
  override readonly name = 'ProbeSourceError';

  constructor(probe: string) {
    super(`cannot store probe ${probe}: the source of a cmdProbe is no JSON object; write it as JSON text`);
  }
}

/**
 * The manifest's form of properties from the API. Keeps fields of `before`, the stored probe, that the API does not
 * have, such as tlsConfig. Pure.
 *
 * @throws ProbeSourceError
 */
export function bodyOfProperties(
  { name, type }: Pick<KeptProbe, 'name' | 'type'>,
  properties: ProbeEntry,
  before: ProbeEntry = {},
): ProbeEntry {
  const given = withoutNothing(properties);
  const inputs = Object.fromEntries(Object.entries(given).filter(([key]) => !RUN_PROPERTIES.includes(key)));
  if (typeof inputs.source === 'string') inputs.source = sourceOf(name, inputs.source);
  if (inputs.source === undefined) delete inputs.source;
  const runProperties = Object.fromEntries(
    Object.entries(given).filter(([key]) => RUN_PROPERTIES.includes(key)),
  );
  const key = `${type}/inputs`;
  return {
    ...before,
    runProperties: { ...only(before.runProperties, ['verbosity']), ...runProperties },
    [key]: { ...only(before[key], ['tlsConfig']), ...inputs },
  };
}

function sourceOf(probe: string, text: string): unknown {
  if (text.trim() === '') return undefined;
  const source = parseObject(text);
  if (source === undefined) throw new ProbeSourceError(probe);
  return source;
}

function only(value: unknown, keys: readonly string[]): ProbeEntry {
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).filter(([key]) => keys.includes(key)));
}

/** A JSON object without null members, at every depth: clients send null for omitted fields. */
function withoutNothing(value: ProbeEntry): Record<string, unknown> {
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(
    members.map(([key, member]) => [key, isObject(member) ? withoutNothing(member) : member]),
  );
}

/** Properties in the form of the API. Members have the types from the manifest. Pure. */
export function propertiesOf({ type, body }: Pick<KeptProbe, 'type' | 'body'>): Record<string, unknown> {
  const inputs = body[`${type}/inputs`];
  const properties: Record<string, unknown> = {
    probeTimeout: '',
    interval: '',
    ...only(body.runProperties, RUN_PROPERTIES),
    ...projectTermsOf(type).required,
    ...(isObject(inputs) ? inputs : {}),
  };
  const { source, comparator, method } = properties;
  if (isObject(source)) properties.source = JSON.stringify(source);
  if (isObject(comparator)) properties.comparator = { type: '', criteria: '', value: '', ...comparator };
  if (isObject(method)) properties.method = shownMethod(method);
  return properties;
}

function shownMethod(method: ProbeEntry): ProbeEntry {
  const requests = Object.entries(method).filter(([, request]) => isObject(request));
  return Object.fromEntries(
    requests.map(([verb, request]) => [verb, { criteria: '', responseCode: '', ...(request as ProbeEntry) }]),
  );
}

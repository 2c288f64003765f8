import { isObject } from '@turnsole/kube/text/json';
import { parseAllDocuments } from 'yaml';
import { PROJECT_PROBE_TYPES, projectTermsOf } from '../../api/probe-types/index.ts';
import { CommandError } from '../../services/errors.ts';

/** A probe as the API takes it. */
interface ProbeRequest {
  readonly name: string;
  readonly [field: string]: unknown;
}

/**
 * Reads a probe in the form of `spec.experiments[].spec.probe[]` of an engine; its mode is said where it is used. Pure.
 *
 * @throws CommandError naming the field that is not right
 */
export function readProbe(file: string, text: string): ProbeRequest {
  const [document, ...more] = parseAllDocuments(text).filter(({ contents }) => contents !== null);
  const problem = document?.errors[0]?.message;
  const entry: unknown = document?.toJS();
  if (document === undefined || problem !== undefined || more.length > 0 || !isObject(entry))
    throw invalid(
      `${file}: ${problem ?? 'expected one probe, as an engine has it: name, type and its inputs'}`,
    );
  const { name, type, mode: _, runProperties, description, tags, ...rest } = entry;
  if (typeof name !== 'string' || name === '') throw invalid(`${file}: name: a probe needs one`);
  const known = PROJECT_PROBE_TYPES.find((one) => one === type);
  if (known === undefined)
    throw invalid(`${file}: type: a project keeps probes of the types ${PROJECT_PROBE_TYPES.join(', ')}`);
  const key = `${known}/inputs`;
  const { [key]: inputs, ...others } = rest;
  const [other] = Object.keys(others);
  if (other !== undefined) throw invalid(`${file}: ${other}: a project does not keep this field of a probe`);
  if (!isObject(inputs)) throw invalid(`${file}: ${key}: a probe of the type ${known} needs it`);
  return {
    ...{ name, type: known, infrastructureType: 'Kubernetes' },
    ...(description !== undefined && { description }),
    ...(tags !== undefined && { tags }),
    [projectTermsOf(known).properties]: {
      ...timesAsText(isObject(runProperties) ? runProperties : {}),
      ...inputs,
      ...(isObject(inputs['source']) && { source: JSON.stringify(inputs['source']) }),
      ...(isObject(inputs['comparator']) && {
        comparator: { ...inputs['comparator'], value: String(inputs['comparator']['value'] ?? '') },
      }),
    },
  };
}

/** Times are texts in the API; engines of older releases have numbers of seconds. */
function timesAsText(properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const times = ['probeTimeout', 'interval', 'probePollingInterval', 'initialDelay', 'evaluationTimeout'];
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [
      name,
      times.includes(name) && typeof value === 'number' ? `${value}s` : value,
    ]),
  );
}

function invalid(message: string): CommandError {
  return new CommandError(message, 'OPTION_INVALID');
}

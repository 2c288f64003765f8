import { type FieldError, invalid, notSupported, required, under } from '@turnsole/kube/schema/field-error';
import { hasTemplate } from '@turnsole/kube/schema/selector-text';
import { parseDuration } from '@turnsole/kube/text/duration';
import type { LoadProbeInputs, Probe } from '../schema/probe.ts';
import { isLasting, LASTING_MODES } from '../schema/vocabulary.ts';
import { validateComparator } from './comparator.ts';
import { isBlank, type Loose, type Path, textOf, validateTls, validateUrl } from './input-parts.ts';
import { validateDuration } from './validate-duration.ts';

/** Methods that a load can send. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
const WITHOUT_BODY: readonly string[] = ['GET', 'HEAD'];
/** Follow from the body and from the connections. */
const OWN_HEADERS: readonly string[] = ['content-length', 'transfer-encoding', 'connection'];

const MOST_RATE = 10_000;
const MOST_REQUESTS = 100;
const MOST_WEIGHT = 1000;
const MOST_CONNECTIONS = 1000;
const MOST_CONCURRENCY = 10_000;

/** Problems of a load, of a loadProbe as of `turnsole load`; paths begin at its inputs. */
export function validateLoad(inputs: Loose<LoadProbeInputs>): FieldError[] {
  const { rate, ramp, requests, connections, concurrency, tlsConfig } = inputs;
  return [
    ...validateRate(rate),
    ...validateDuration(ramp ?? undefined, ['ramp']),
    ...validateRequests(requests),
    ...validateCount(connections, ['connections'], [0, MOST_CONNECTIONS]),
    ...validateConcurrency(concurrency, connections),
    ...validateTls(tlsConfig),
  ];
}

/** Run properties that say how often others measure; a load lasts, and sends at its rate. */
const WITHOUT_MEANING = ['interval', 'probePollingInterval', 'evaluationTimeout'] as const;

/** Problems of when a loadProbe runs; paths begin at the probe. */
export function validateLoadRun({ mode, runProperties }: Probe): FieldError[] {
  const properties = runProperties ?? {};
  return [
    ...(isLasting(mode) ? [] : [notSupported(['mode'], mode, LASTING_MODES)]),
    ...WITHOUT_MEANING.filter((field) => isSomeTime(properties[field])).map((field) =>
      invalid(
        ['runProperties', field],
        properties[field],
        'must be empty: a load sends at its rate, without pauses',
      ),
    ),
    ...(['attempt', 'retry'] as const)
      .filter((field) => (properties[field] ?? 0) > 1)
      .map((field) =>
        invalid(
          ['runProperties', field],
          properties[field],
          'must be at most 1: a load sends each request once',
        ),
      ),
  ];
}

/** What is no duration has its problem already. */
function isSomeTime(text: string | undefined): boolean {
  try {
    return parseDuration(textOf(text)) > 0;
  } catch {
    return false;
  }
}

function validateRate(rate: unknown): FieldError[] {
  if (rate === undefined || rate === null)
    return [required(['rate'], 'how many requests per second are sent')];
  if (typeof rate === 'number' && rate > 0 && rate <= MOST_RATE) return [];
  return [
    invalid(['rate'], rate, `must be a number of requests per second, more than 0 and at most ${MOST_RATE}`),
  ];
}

function validateCount(value: unknown, path: Path, [least, most]: readonly [number, number]): FieldError[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return [];
  return [invalid(path, value, `must be a whole number from ${least} to ${most}`)];
}

function validateConcurrency(concurrency: unknown, connections: unknown): FieldError[] {
  const path = ['concurrency'];
  const problems = validateCount(concurrency, path, [1, MOST_CONCURRENCY]);
  if (problems.length > 0) return problems;
  const [asked, pool] = [Number(concurrency ?? 0), Number(connections ?? 0)];
  if (pool === 0 || asked <= pool) return [];
  return [
    invalid(
      path,
      concurrency,
      `must be at most connections (${pool}): each connection has one request under way`,
    ),
  ];
}

type LooseRequests = Loose<LoadProbeInputs>['requests'];
type LooseRequest = NonNullable<NonNullable<LooseRequests>[number]>;

function validateRequests(requests: LooseRequests | null): FieldError[] {
  const path = ['requests'];
  if (!Array.isArray(requests) || requests.length === 0)
    return [required(path, 'the requests that are sent')];
  if (requests.length > MOST_REQUESTS)
    return [invalid(path, requests.length, `must be at most ${MOST_REQUESTS} requests`)];
  return requests.flatMap((request: LooseRequest | null, index) =>
    validateRequest(request ?? {}).map((error) => under(['requests', index], error)),
  );
}

function validateRequest({
  url,
  method,
  headers,
  body,
  weight,
  criteria,
  responseCode,
}: LooseRequest): FieldError[] {
  const verb = textOf(method) === '' ? 'GET' : textOf(method);
  const errors = hasTemplate(textOf(url)) ? [] : validateUrl(url, ['url']);
  if (!METHODS.some((known) => known === verb)) errors.push(notSupported(['method'], method, METHODS));
  if (WITHOUT_BODY.includes(verb) && textOf(body) !== '')
    errors.push(invalid(['body'], body, `${verb} has no body; give another method, such as POST`));
  for (const [name, value] of Object.entries(headers ?? {})) errors.push(...validateHeader(name, value));
  errors.push(...validateCount(weight, ['weight'], [1, MOST_WEIGHT]));
  if (isBlank(responseCode)) {
    if (!isBlank(criteria)) errors.push(required(['responseCode'], 'what criteria compare the status with'));
    return errors;
  }
  const expected = { type: 'int', criteria: textOf(criteria) || '==', value: textOf(responseCode) };
  return [...errors, ...validateComparator({ ...expected, valueField: 'responseCode' }, [])];
}

function validateHeader(name: string, value: unknown): FieldError[] {
  const path = ['headers', name];
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) return [invalid(path, name, 'must be a name of a header')];
  if (OWN_HEADERS.includes(name.toLowerCase()))
    return [invalid(path, value, 'must not be given: it follows from the body and the connections')];
  // As Node checks it: printable characters of Latin-1, and tabs.
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(textOf(value))) return [];
  return [invalid(path, value, 'must be text without line breaks, of characters of Latin-1')];
}

import { DurationError, parseDuration } from '../duration.ts';
import { FieldSelectorError, parseFieldSelector } from '../field-selector.ts';
import { LabelSelectorError, parseLabelSelector } from '../label-selector.ts';
import type {
  CmdProbeInputs,
  HttpProbeInputs,
  K8sProbeInputs,
  Probe,
  PromProbeInputs,
  RunProperties,
  SloProbeInputs,
  TlsConfig,
} from '../schema/probe.ts';
import { PROBE_MODES, PROBE_TYPES, type ProbeType } from '../schema/vocabulary.ts';
import { sloTimeMs } from '../slo-time.ts';
import { validateComparator } from './comparator.ts';
import { type FieldError, invalid, notSupported, required, under } from './field-error.ts';
import type { PathSegment } from './path.ts';
import { validateEnv, validateImage, validateNodeSelector, validateTolerations } from './pod-parts.ts';

type Path = readonly PathSegment[];

/** The key of a probe that holds the inputs of this type: `httpProbe/inputs`. */
export function inputsKey<T extends ProbeType>(type: T): `${T}/inputs` {
  return `${type}/inputs`;
}

/**
 * All problems of a probe that its structure cannot show; paths begin at the probe. The value has passed the structural
 * check. Texts with templates (`{{ … }}`) are not looked into: what they become is known only when the probe runs.
 */
export function validateProbe(probe: Probe): FieldError[] {
  const errors: FieldError[] = [];
  if (probe.name.trim() === '') errors.push(required(['name'], 'results and templates go by it'));
  if (!PROBE_MODES.includes(probe.mode)) errors.push(notSupported(['mode'], probe.mode, PROBE_MODES));
  errors.push(...validateRunProperties(probe.runProperties, ['runProperties']));
  errors.push(...validateInputs(probe));
  return errors;
}

/** All problems of a list of probes, duplicate names among them; paths begin at `path`. */
export function validateProbes(probes: readonly Probe[] | null | undefined, path: Path): FieldError[] {
  const first = new Map<string, number>();
  return (probes ?? []).flatMap((probe, index) => {
    const errors = validateProbe(probe);
    const earlier = first.get(probe.name);
    if (earlier !== undefined) {
      const problem = `is also the name of probe ${earlier}; results of probes go by their names`;
      errors.push({ ...invalid(['name'], probe.name, problem), type: 'FieldValueDuplicate' });
    }
    if (earlier === undefined) first.set(probe.name, index);
    return errors.map((error) => under([...path, index], error));
  });
}

const DURATIONS = [
  'probeTimeout',
  'interval',
  'probePollingInterval',
  'initialDelay',
  'evaluationTimeout',
] as const;
const COUNTS = ['attempt', 'retry', 'initialDelaySeconds'] as const;
/** Far more tries than anybody waits for, and few enough to be counted. */
const MAX_COUNT = 1_000_000;

/** Seven days, as for chaos itself. */
const MAX_DURATION_MS = 7 * 24 * 3_600_000;

function validateRunProperties(properties: RunProperties, path: Path): FieldError[] {
  const durations = DURATIONS.flatMap((field) => validateDuration(properties[field], [...path, field]));
  const counts = COUNTS.flatMap((field) => {
    const value = properties[field];
    if (value === undefined || (value >= 0 && value <= MAX_COUNT)) return [];
    return [invalid([...path, field], value, `must be a whole number from 0 to ${MAX_COUNT}`)];
  });
  return [...durations, ...counts];
}

/** A duration text from zero to seven days; absent and blank are right. */
export function validateDuration(text: string | undefined, path: Path): FieldError[] {
  if (text === undefined) return [];
  try {
    const milliseconds = parseDuration(text);
    if (milliseconds < 0) return [invalid(path, text, 'must not be negative')];
    return milliseconds > MAX_DURATION_MS ? [invalid(path, text, 'must be at most 168h (seven days)')] : [];
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    return [invalid(path, text, error.expectation)];
  }
}

function validateInputs(probe: Probe): FieldError[] {
  switch (probe.type) {
    case 'httpProbe':
      return checkInputs(probe, probe['httpProbe/inputs'], validateHttp);
    case 'cmdProbe':
      return checkInputs(probe, probe['cmdProbe/inputs'], validateCmd);
    case 'k8sProbe':
      return checkInputs(probe, probe['k8sProbe/inputs'], (inputs) => validateK8s(inputs, probe.data));
    case 'promProbe':
      return checkInputs(probe, probe['promProbe/inputs'], validateProm);
    case 'sloProbe':
      return checkInputs(probe, probe['sloProbe/inputs'], validateSlo);
    default:
      return [notSupported(['type'], probe.type, PROBE_TYPES)];
  }
}

/** Runs `check` on the inputs of the probe's type, or says that they are missing and which ones are there instead. */
function checkInputs<T>(
  probe: Probe,
  inputs: T | null | undefined,
  check: (inputs: T) => FieldError[],
): FieldError[] {
  const key = inputsKey(probe.type);
  if (inputs !== undefined && inputs !== null) return check(inputs).map((error) => under([key], error));
  const others = PROBE_TYPES.map(inputsKey).filter(
    (other) => probe[other] !== undefined && probe[other] !== null,
  );
  const found = others.length > 0 ? `, found ${others.map((other) => JSON.stringify(other)).join(', ')}` : '';
  return [required([key], `a probe of type ${probe.type} needs its inputs here${found}`)];
}

function hasTemplate(text: string): boolean {
  return text.includes('{{');
}

function validateUrl(url: string, path: Path): FieldError[] {
  if (hasTemplate(url)) return [];
  if (url.trim() === '') return [required(path, 'a URL such as http://web.default.svc:80/health')];
  const parsed = URL.parse(url);
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) {
    return [invalid(path, url, 'must be a URL that begins with http:// or https://')];
  }
  return [];
}

function validateHttp({ url, method, tlsConfig }: HttpProbeInputs): FieldError[] {
  const errors = [...validateUrl(url, ['url']), ...validateTls(tlsConfig)];
  const { get, post } = method;
  if (get === undefined && post === undefined) errors.push(required(['method'], 'give get or post'));
  for (const [name, request] of Object.entries({ get, post })) {
    if (request === undefined) continue;
    errors.push(...validateResponse(request, ['method', name]));
  }
  if (post !== undefined && (post.body ?? '') === '' && (post.bodyPath ?? '') === '') {
    errors.push(
      required(['method', 'post', 'body'], 'a POST needs body, or bodyPath with the file that holds it'),
    );
  }
  return errors;
}

/** What an answer is judged by: its status, or its body. */
function validateResponse(
  request: { readonly criteria: string; readonly responseCode?: string; readonly responseBody?: string },
  path: Path,
): FieldError[] {
  const { criteria, responseCode = '', responseBody = '' } = request;
  if (responseCode !== '' && responseBody !== '') {
    const problem = 'give responseCode or responseBody: criteria are for one of them';
    return [invalid([...path, 'responseBody'], responseBody, problem)];
  }
  if (responseCode === '' && responseBody === '') {
    return [
      required([...path, 'responseCode'], 'the expected status, or responseBody with the expected body'),
    ];
  }
  return responseBody === ''
    ? validateComparator('int', { criteria, value: responseCode, valueField: 'responseCode' }, path)
    : validateComparator('string', { criteria, value: responseBody, valueField: 'responseBody' }, path);
}

function validateTls(tls: TlsConfig | undefined): FieldError[] {
  const cert = (tls?.certFile ?? '').trim();
  const key = (tls?.keyFile ?? '').trim();
  if ((cert === '') === (key === '')) return [];
  const missing = cert === '' ? 'certFile' : 'keyFile';
  return [required(['tlsConfig', missing], 'certFile and keyFile belong together')];
}

function validateCmd({ command, comparator, source }: CmdProbeInputs): FieldError[] {
  const errors: FieldError[] = [];
  if (command.trim() === '') errors.push(required(['command'], 'shell text whose output is compared'));
  errors.push(...validateComparator(comparator.type, comparator, ['comparator']));
  if (source !== undefined && source !== null) {
    errors.push(...validateImage(source.image, ['source', 'image'], true));
    errors.push(...validateEnv(source.env, ['source', 'env']));
    errors.push(...validateNodeSelector(source.nodeSelector, ['source', 'nodeSelector']));
    errors.push(...validateTolerations(source.tolerations, ['source', 'tolerations']));
  }
  return errors;
}

function validateK8s(inputs: K8sProbeInputs, data: string | undefined): FieldError[] {
  const { version, resource, operation, labelSelector = '', fieldSelector = '' } = inputs;
  const errors: FieldError[] = [];
  if (version.trim() === '') errors.push(required(['version'], 'the version of the API, such as v1'));
  if (!/^[a-z0-9-]+$/.test(resource) && !hasTemplate(resource)) {
    errors.push(
      invalid(['resource'], resource, 'must be the plural name of a resource, such as pods or deployments'),
    );
  }
  errors.push(...validateLabelSelectorText(labelSelector, ['labelSelector']));
  errors.push(...validateFieldSelectorText(fieldSelector, ['fieldSelector']));
  if (operation === 'create' && (data ?? '').trim() === '') {
    errors.push(
      required(['operation'], 'create needs the manifest of the object in the field data of the probe'),
    );
  }
  return errors;
}

/** The text form of a label selector; blank is right, and so is what a template will become. */
export function validateLabelSelectorText(text: string, path: Path): FieldError[] {
  if (hasTemplate(text)) return [];
  try {
    parseLabelSelector(text);
    return [];
  } catch (error) {
    if (!(error instanceof LabelSelectorError)) throw error;
    return [invalid(path, text, `must be a label selector such as app=web,tier!=db: ${error.message}`)];
  }
}

function validateFieldSelectorText(text: string, path: Path): FieldError[] {
  if (hasTemplate(text)) return [];
  try {
    parseFieldSelector(text);
    return [];
  } catch (error) {
    if (!(error instanceof FieldSelectorError)) throw error;
    return [invalid(path, text, `must be a field selector such as status.phase=Running: ${error.message}`)];
  }
}

function validateProm(inputs: PromProbeInputs): FieldError[] {
  const { endpoint, query = '', queryPath = '', comparator, tlsConfig } = inputs;
  const errors = [...validateUrl(endpoint, ['endpoint']), ...validateTls(tlsConfig)];
  if (query.trim() === '' && queryPath.trim() === '') {
    errors.push(required(['query'], 'give query, or queryPath with the file that holds it'));
  }
  // A metric is a float, whatever the type says.
  errors.push(...validateComparator('float', comparator, ['comparator']));
  return errors;
}

function validateSlo(inputs: SloProbeInputs): FieldError[] {
  const { platformEndpoint, sloIdentifier, sloSourceMetadata, evaluationWindow, comparator } = inputs;
  const errors = validateUrl(platformEndpoint, ['platformEndpoint']);
  if (sloIdentifier.trim() === '') errors.push(required(['sloIdentifier'], 'which objective is judged'));
  if (sloSourceMetadata.apiTokenSecret.trim() === '') {
    const what = 'name of the Secret whose key X-API-KEY holds the API token';
    errors.push(required(['sloSourceMetadata', 'apiTokenSecret'], what));
  }
  if (sloSourceMetadata.scope.accountIdentifier.trim() === '') {
    errors.push(required(['sloSourceMetadata', 'scope', 'accountIdentifier'], 'account of the objective'));
  }
  errors.push(...validateSloWindow(evaluationWindow, ['evaluationWindow']));
  // A share of a budget is a float, whatever the type says.
  errors.push(...validateComparator('float', comparator, ['comparator']));
  return errors;
}

/** The end must lie behind the start; either may be absent. */
export function validateSloWindow(window: SloProbeInputs['evaluationWindow'], path: Path): FieldError[] {
  const start = sloTimeMs(window?.evaluationStartTime);
  const end = sloTimeMs(window?.evaluationEndTime);
  if (start === undefined || end === undefined || start < end) return [];
  const field = [...path, 'evaluationEndTime'];
  return [invalid(field, window?.evaluationEndTime, 'must be later than evaluationStartTime')];
}

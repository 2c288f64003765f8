import { type FieldError, invalid, notSupported, required, under } from '@turnsole/kube/schema/field-error';
import {
  hasTemplate,
  validateFieldSelectorOf,
  validateLabelSelectorText,
} from '@turnsole/kube/schema/selector-text';
import { PROBE_TYPES, type ProbeType } from '../probe-types/index.ts';
import type {
  CmdProbeInputs,
  HttpProbeInputs,
  K8sProbeInputs,
  Probe,
  PromProbeInputs,
  SloProbeInputs,
} from '../schema/probe.ts';
import { K8S_OPERATIONS } from '../schema/vocabulary.ts';
import { sloTimeMs } from '../slo-time.ts';
import { validateComparator } from './comparator.ts';
import { isBlank, type Loose, type Path, textOf, validateTls, validateUrl } from './input-parts.ts';
import { validateLoad } from './load.ts';
import { validateEnv, validateImage, validateNodeSelector, validateTolerations } from './pod-parts.ts';

/** The key of a probe that holds the inputs of this type: `httpProbe/inputs`. */
function inputsKey<T extends ProbeType>(type: T): `${T}/inputs` {
  return `${type}/inputs`;
}

/** The rules of each type, beyond its schema. */
const RULES: Readonly<Record<ProbeType, (probe: Probe) => FieldError[]>> = {
  httpProbe: (probe) => checkInputs(probe, probe['httpProbe/inputs'], validateHttp),
  cmdProbe: (probe) => checkInputs(probe, probe['cmdProbe/inputs'], validateCmd),
  k8sProbe: (probe) => [
    ...checkInputs(probe, probe['k8sProbe/inputs'], validateK8s),
    ...(probe['k8sProbe/inputs']?.operation === 'create' && isBlank(probe.data)
      ? [required(['data'], 'operation create needs the manifest of the object')]
      : []),
  ],
  promProbe: (probe) => checkInputs(probe, probe['promProbe/inputs'], validateProm),
  sloProbe: (probe) => checkInputs(probe, probe['sloProbe/inputs'], validateSlo),
  loadProbe: (probe) => checkInputs(probe, probe['loadProbe/inputs'], validateLoad),
};

/** Problems of the inputs of a probe of a known type; paths begin at the probe. */
export function validateInputs(probe: Probe): FieldError[] {
  return RULES[probe.type](probe);
}

/** Runs `check` on the inputs of the probe's type, or says that they are missing and which ones are there instead. */
function checkInputs<T>(
  probe: Probe,
  inputs: T | null | undefined,
  check: (inputs: Loose<T>) => FieldError[],
): FieldError[] {
  const key = inputsKey(probe.type);
  if (inputs !== undefined && inputs !== null) {
    // Every complete value is a loose one too; the compiler cannot see that of a type parameter.
    return check(inputs as Loose<T>).map((error) => under([key], error));
  }
  const others = PROBE_TYPES.map(inputsKey).filter(
    (other) => probe[other] !== undefined && probe[other] !== null,
  );
  const found = others.length > 0 ? `, found ${others.map((other) => JSON.stringify(other)).join(', ')}` : '';
  return [required([key], `a probe of type ${probe.type} needs its inputs here${found}`)];
}

/** With get and post together, the probe sends get, as upstream does, and ignores post. */
function validateHttp({ url, method, tlsConfig }: Loose<HttpProbeInputs>): FieldError[] {
  const errors = [...(hasTemplate(textOf(url)) ? [] : validateUrl(url, ['url'])), ...validateTls(tlsConfig)];
  const { get, post } = method ?? {};
  if (get) return [...errors, ...validateResponse(get, ['method', 'get'])];
  if (!post) return [...errors, required(['method'], 'give get or post')];
  errors.push(...validateResponse(post, ['method', 'post']));
  if (textOf(post.body) === '' && textOf(post.bodyPath) === '') {
    errors.push(
      required(['method', 'post', 'body'], 'a POST needs body, or bodyPath with the file that holds it'),
    );
  }
  return errors;
}

/** The criteria for an answer: its status, or its body. */
function validateResponse(
  request: Loose<NonNullable<HttpProbeInputs['method']['get']>>,
  path: Path,
): FieldError[] {
  const [criteria, responseCode, responseBody] = [
    textOf(request.criteria),
    textOf(request.responseCode),
    textOf(request.responseBody),
  ];
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
    ? validateComparator({ type: 'int', criteria, value: responseCode, valueField: 'responseCode' }, path)
    : validateComparator({ type: 'string', criteria, value: responseBody, valueField: 'responseBody' }, path);
}

/** @param type as what both sides are read, where the kind of probe decides that */
function validatePlacedComparator(
  comparator: { readonly [field in 'type' | 'criteria' | 'value']?: unknown } | null | undefined,
  type?: 'float',
): FieldError[] {
  const path = ['comparator'];
  if (!comparator) return [required(path, 'give criteria and value')];
  const { criteria, value } = comparator;
  const asked = { type: type ?? textOf(comparator.type), criteria: textOf(criteria), value: textOf(value) };
  return validateComparator(asked, path);
}

function validateCmd({ command, comparator, source }: Loose<CmdProbeInputs>): FieldError[] {
  const errors: FieldError[] = [];
  if (isBlank(command)) errors.push(required(['command'], 'shell text whose output is compared'));
  errors.push(...validatePlacedComparator(comparator));
  if (source) {
    // The parts of the pod are as loosely typed here as in any pod: each of these functions accepts a missing value.
    const { image, env, nodeSelector, tolerations } = source as NonNullable<CmdProbeInputs['source']>;
    errors.push(...validateImage(image, ['source', 'image'], true));
    errors.push(...validateEnv(env, ['source', 'env']));
    errors.push(...validateNodeSelector(nodeSelector, ['source', 'nodeSelector']));
    errors.push(...validateTolerations(tolerations, ['source', 'tolerations']));
  }
  return errors;
}

function validateK8s(inputs: Loose<K8sProbeInputs>): FieldError[] {
  const { version, resource, resourceNames, operation, labelSelector, fieldSelector } = inputs;
  const errors: FieldError[] = [];
  if (isBlank(version)) errors.push(required(['version'], 'the version of the API, such as v1'));
  if (!/^[a-z0-9-]+$/.test(textOf(resource))) {
    errors.push(
      invalid(['resource'], resource, 'must be the plural name of a resource, such as pods or deployments'),
    );
  }
  if (!K8S_OPERATIONS.some((known) => known === operation)) {
    errors.push(notSupported(['operation'], operation, K8S_OPERATIONS));
  }
  errors.push(...validateLabelSelectorText(textOf(labelSelector), ['labelSelector']));
  const asked = { group: textOf(inputs.group), resource: textOf(resource) };
  errors.push(...validateFieldSelectorOf(asked, textOf(fieldSelector), ['fieldSelector']));
  if (operation === 'delete' && [resourceNames, labelSelector, fieldSelector].every(isBlank)) {
    const what = `give resourceNames, labelSelector or fieldSelector; without them every ${resource} would be deleted`;
    errors.push(required(['resourceNames'], what));
  }
  return errors;
}

/** Endpoint and query are no templates, as upstream has it. */
function validateProm(inputs: Loose<PromProbeInputs>): FieldError[] {
  const { endpoint, query, queryPath, comparator, tlsConfig } = inputs;
  const errors = [...validateUrl(endpoint, ['endpoint']), ...validateTls(tlsConfig)];
  if (isBlank(query) && isBlank(queryPath)) {
    errors.push(required(['query'], 'give query, or queryPath with the file that holds it'));
  }
  // A metric is a float; the comparator's `type` does not matter.
  errors.push(...validatePlacedComparator(comparator, 'float'));
  return errors;
}

function validateSlo(inputs: Loose<SloProbeInputs>): FieldError[] {
  const { platformEndpoint, sloIdentifier, sloSourceMetadata, evaluationWindow, comparator } = inputs;
  const errors = validateUrl(platformEndpoint, ['platformEndpoint']);
  if (isBlank(sloIdentifier)) errors.push(required(['sloIdentifier'], 'which objective is judged'));
  if (isBlank(sloSourceMetadata?.apiTokenSecret)) {
    const what = 'name of the Secret whose key X-API-KEY holds the API token';
    errors.push(required(['sloSourceMetadata', 'apiTokenSecret'], what));
  }
  if (isBlank(sloSourceMetadata?.scope?.accountIdentifier)) {
    errors.push(required(['sloSourceMetadata', 'scope', 'accountIdentifier'], 'account of the objective'));
  }
  errors.push(...validateSloWindow(evaluationWindow, ['evaluationWindow']));
  // A share of a budget is a float; the comparator's `type` does not matter.
  errors.push(...validatePlacedComparator(comparator, 'float'));
  return errors;
}

/** The end must lie behind the start; either may be absent. */
function validateSloWindow(window: Loose<SloProbeInputs>['evaluationWindow'], path: Path): FieldError[] {
  const start = sloTimeMs(window?.evaluationStartTime ?? undefined);
  const end = sloTimeMs(window?.evaluationEndTime ?? undefined);
  if (start === undefined || end === undefined || start < end) return [];
  const field = [...path, 'evaluationEndTime'];
  return [invalid(field, window?.evaluationEndTime, 'must be later than evaluationStartTime')];
}

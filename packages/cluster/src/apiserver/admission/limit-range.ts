/** Limit ranges: defaults and bounds of containers and pods. Source: kubernetes.io, Limit Ranges. */
import { compareQuantities, formatQuantity, type Quantity } from '@turnsole/kube/text/quantity';
import { forbidden } from '../http/status.ts';
import { type ApiObject, asJson, asObjects, asString, childOf, type Json, valueAt } from '../object.ts';
import type { AdmissionAttempt, ServerParts } from '../registry/environment.ts';
import { objectOf } from '../stored-object.ts';
import { isPodResize, podAmounts, readAmounts } from './resources.ts';

const TABLE = 'limitranges';

function concernsPod(attempt: AdmissionAttempt): boolean {
  const { definition, operation, subresource } = attempt;
  if (isPodResize(attempt)) return true;
  return definition.table === 'pods' && operation === 'create' && subresource === '';
}

function limitsOf(env: ServerParts, namespace: string): Json[] {
  if (env.store.count(TABLE) === 0) return [];
  const ranges = env.store.list(TABLE, namespace).versions.map(objectOf);
  return ranges.flatMap((range) => asObjects(asJson(range.spec).limits));
}

/** Gives containers the default requests and limits of the namespace. */
export function admitLimitDefaults(env: ServerParts, attempt: AdmissionAttempt): void {
  const { object, namespace } = attempt;
  if (!concernsPod(attempt) || object === undefined) return;
  const limits = limitsOf(env, namespace).filter(({ type }) => type === 'Container');
  const given: string[] = [];
  for (const limit of limits) {
    for (const container of containersOf(object)) given.push(...giveDefaults(limit, container));
  }
  if (given.length === 0) return;
  object.metadata.annotations = {
    ...object.metadata.annotations,
    'kubernetes.io/limit-ranger': `LimitRanger plugin set: ${given.join('; ')}`,
  };
}

/** Fills in the defaults of one container; returns which ones, in words. */
function giveDefaults(limit: Json, container: Json): string[] {
  const given: string[] = [];
  const resources = childOf(container, 'resources');
  for (const [from, to, word] of [
    ['defaultRequest', 'requests', 'request'],
    ['default', 'limits', 'limit'],
  ] as const) {
    const defaults = asJson(limit[from]);
    const missing = Object.keys(defaults).filter((name) => valueAt(resources, to, name) === undefined);
    if (missing.length === 0) continue;
    const target = childOf(resources, to);
    for (const name of missing) target[name] = defaults[name];
    given.push(`${missing.sort().join(', ')} ${word} for container ${asString(container.name)}`);
  }
  return given;
}

function containersOf(pod: ApiObject): Json[] {
  return [
    ...asObjects(valueAt(pod, 'spec', 'containers')),
    ...asObjects(valueAt(pod, 'spec', 'initContainers')),
  ];
}

/** Refuses pods and claims beyond the bounds of the namespace. Throws Forbidden with every bound that is broken. */
export function reviewLimits(env: ServerParts, attempt: AdmissionAttempt): void {
  const { object, namespace, definition, name } = attempt;
  if (object === undefined) return;
  const isClaim = definition.table === 'persistentvolumeclaims';
  if (!(isClaim ? attempt.subresource === '' : concernsPod(attempt))) return;
  const limits = limitsOf(env, namespace);
  const problems = isClaim ? claimProblems(object, limits) : podProblems(object, limits);
  if (problems.length === 0) return;
  throw forbidden(definition, name, problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`);
}

/** Only what a claim asks for is bounded. */
function claimProblems(claim: ApiObject, limits: readonly Json[]): string[] {
  const requests = readAmounts(valueAt(claim, 'spec', 'resources', 'requests'));
  return limits
    .filter(({ type }) => type === 'PersistentVolumeClaim')
    .flatMap((limit) => requestBounds(limit, requests));
}

function podProblems(object: ApiObject, limits: readonly Json[]): string[] {
  const problems: string[] = [];
  for (const limit of limits) {
    if (limit.type === 'Container') {
      for (const container of containersOf(object)) {
        const resources = asJson(container.resources);
        problems.push(...bounds(limit, readAmounts(resources.requests), readAmounts(resources.limits)));
      }
    } else if (limit.type === 'Pod') {
      problems.push(...bounds(limit, podAmounts(object, 'requests'), podAmounts(object, 'limits')));
    }
  }
  return problems;
}

function requestBounds(limit: Json, requests: Map<string, Quantity>): string[] {
  const type = asString(limit.type);
  return (['min', 'max'] as const).flatMap((end) =>
    [...readAmounts(limit[end])].flatMap(([resource, amount]) => {
      const bound = `${end}imum ${resource} usage per ${type} is ${formatQuantity(amount)}`;
      const request = requests.get(resource);
      if (request === undefined) return [`${bound}.  No request is specified`];
      const order = compareQuantities(request, amount);
      const isBeyond = end === 'min' ? order < 0 : order > 0;
      return isBeyond ? [`${bound}, but request is ${formatQuantity(request)}`] : [];
    }),
  );
}

function bounds(limit: Json, requests: Map<string, Quantity>, limits: Map<string, Quantity>): string[] {
  const problems: string[] = [];
  const type = asString(limit.type);
  for (const [resource, least] of readAmounts(limit.min)) {
    const bound = `minimum ${resource} usage per ${type} is ${formatQuantity(least)}`;
    const [request, top] = [requests.get(resource), limits.get(resource)];
    if (request === undefined) problems.push(`${bound}.  No request is specified`);
    else if (compareQuantities(request, least) < 0)
      problems.push(`${bound}, but request is ${formatQuantity(request)}`);
    if (top !== undefined && compareQuantities(top, least) < 0)
      problems.push(`${bound}, but limit is ${formatQuantity(top)}`);
  }
  for (const [resource, most] of readAmounts(limit.max)) {
    const bound = `maximum ${resource} usage per ${type} is ${formatQuantity(most)}`;
    const [request, top] = [requests.get(resource), limits.get(resource)];
    if (top === undefined) problems.push(`${bound}.  No limit is specified`);
    else if (compareQuantities(top, most) > 0) {
      // A request within a limit that is too large is not reported as well.
      problems.push(`${bound}, but limit is ${formatQuantity(top)}`);
      continue;
    }
    if (request !== undefined && compareQuantities(request, most) > 0) {
      problems.push(`${bound}, but request is ${formatQuantity(request)}`);
    }
  }
  return problems;
}

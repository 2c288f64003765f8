/** Pod Security: what a namespace allows its pods, by its labels. Source: kubernetes.io, Pod Security Admission. */
import { forbidden, invalid } from '../../http/status.ts';
import { type ApiObject, asJson, asObjects, asString, type Json, valueAt } from '../../object.ts';
import type { AdmissionAttempt, ServerParts } from '../../registry/environment.ts';
import { objectOf } from '../../stored-object.ts';
import { FieldErrors } from '../../validation/field.ts';
import { BASELINE } from './baseline.ts';
import { REPLACED, RESTRICTED } from './restricted.ts';
import type { Violation } from './wording.ts';

const PREFIX = 'pod-security.kubernetes.io/';
const MODES = ['enforce', 'audit', 'warn'] as const;
const LEVELS = ['privileged', 'baseline', 'restricted'] as const;
type Level = (typeof LEVELS)[number];

/** A level as a namespace asks for it. */
interface Policy {
  readonly level: Level;
  /** `latest` or `v1.36`; the rules are the same. */
  readonly version: string;
}

/** Where pods and the kinds that make pods have the specification. */
const SPECS: Readonly<Record<string, readonly string[]>> = {
  'core/pods': [],
  'core/replicationcontrollers': ['spec', 'template'],
  'core/podtemplates': ['template'],
  'apps/deployments': ['spec', 'template'],
  'apps/replicasets': ['spec', 'template'],
  'apps/statefulsets': ['spec', 'template'],
  'apps/daemonsets': ['spec', 'template'],
  'batch/jobs': ['spec', 'template'],
  'batch/cronjobs': ['spec', 'jobTemplate', 'spec', 'template'],
};

/**
 * Refuses pods that their namespace does not allow, warns of those that it is to warn of and of workloads whose pods would be
 * refused, and refuses namespaces that ask for a level that there is not. Throws Forbidden, Invalid.
 */
export function reviewPodSecurity(env: ServerParts, attempt: AdmissionAttempt): void {
  const { definition, operation, object, namespace, name, context } = attempt;
  if (object === undefined || operation === 'delete') return;
  if (definition.table === 'namespaces') {
    reviewLabels(attempt, object);
    warnOfPresentPods(env, attempt, object);
    return;
  }
  const path = SPECS[`${definition.group || 'core'}/${definition.plural}`];
  const isPod = path?.length === 0;
  if (path === undefined || !concerns(attempt, isPod)) return;
  const template = path.length === 0 ? object : asJson(valueAt(object, ...path));
  const labels = labelsOf(env, namespace);
  const enforced = isPod ? policyOf(labels, 'enforce') : undefined;
  const broken = enforced === undefined ? [] : violations(template, enforced.level);
  if (enforced !== undefined && broken.length > 0) {
    throw forbidden(definition, name, `violates ${policyText(enforced)}: ${textOf(broken)}`);
  }
  const warned = policyOf(labels, 'warn');
  const doubtful = warned === undefined ? [] : violations(template, warned.level);
  if (warned !== undefined && doubtful.length > 0) {
    context.warnings.push(`would violate ${policyText(warned)}: ${textOf(doubtful)}`);
  }
}

/** Pods are judged when they are made and when containers are added to them; templates, whenever they are written. */
function concerns({ operation, subresource }: AdmissionAttempt, isPod: boolean): boolean {
  if (!isPod) return subresource === '';
  return (operation === 'create' && subresource === '') || subresource === 'ephemeralcontainers';
}

function labelsOf(env: ServerParts, namespace: string): Readonly<Record<string, string>> {
  const version = env.store.get('namespaces', '', namespace);
  return version === undefined ? {} : (objectOf(version).metadata.labels ?? {});
}

function policyOf(
  labels: Readonly<Record<string, string>>,
  mode: (typeof MODES)[number],
): Policy | undefined {
  const found = LEVELS.find((level) => level === labels[`${PREFIX}${mode}`]);
  // Of workloads whose pods would be refused, users are warned, even if nothing asks for it.
  if (found === undefined && mode === 'warn') return policyOf(labels, 'enforce');
  if (found === undefined || found === 'privileged') return undefined;
  return { level: found, version: labels[`${PREFIX}${mode}-version`] ?? 'latest' };
}

function policyText({ level, version }: Policy): string {
  return `PodSecurity "${level}:${version}"`;
}

/** What a pod, or a template of pods, breaks. Pure. */
function violations(pod: Json | ApiObject, level: Level): readonly Violation[] {
  const spec = asJson(asJson(pod as Json).spec);
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    asObjects(spec[list]),
  );
  const judged = { spec, metadata: asJson(asJson(pod as Json).metadata), containers };
  if (level === 'privileged') return [];
  const ofBaseline = level === 'restricted' ? BASELINE.filter((rule) => !REPLACED.has(rule)) : BASELINE;
  const rules = level === 'restricted' ? [...ofBaseline, ...RESTRICTED] : ofBaseline;
  return rules.flatMap((rule) => rule(judged));
}

function textOf(broken: readonly Violation[]): string {
  return broken.map(({ rule, detail }) => `${rule} (${detail})`).join(', ');
}

function reviewLabels({ definition, name }: AdmissionAttempt, { metadata }: ApiObject): void {
  const errors = new FieldErrors();
  for (const mode of MODES) {
    const level = metadata.labels?.[`${PREFIX}${mode}`];
    if (level !== undefined && !LEVELS.some((known) => known === level)) {
      errors.invalid(`metadata.labels[${PREFIX}${mode}]`, level, `must be one of ${LEVELS.join(', ')}`);
    }
    const version = metadata.labels?.[`${PREFIX}${mode}-version`];
    if (version !== undefined && !/^(latest|v1\.(0|[1-9]\d*))$/.test(asString(version))) {
      errors.invalid(`metadata.labels[${PREFIX}${mode}-version]`, version, 'must be "latest" or "v1.x"');
    }
  }
  if (errors.length > 0) throw invalid(definition.group, definition.kind, name, errors);
}

/** Warns of pods that are there already and that the namespace would not take any more. */
function warnOfPresentPods(
  { store }: ServerParts,
  { operation, old, name, context }: AdmissionAttempt,
  { metadata }: ApiObject,
): void {
  if (operation !== 'update') return;
  const before = policyOf(old?.metadata.labels ?? {}, 'enforce');
  const now = policyOf(metadata.labels ?? {}, 'enforce');
  if (now === undefined || (before?.level === now.level && before.version === now.version)) return;
  if (before !== undefined && LEVELS.indexOf(now.level) < LEVELS.indexOf(before.level)) return;
  const pods = new Map<string, string[]>();
  for (const version of store.list('pods', name).versions) {
    const broken = violations(objectOf(version), now.level).map(({ rule }) => rule);
    if (broken.length === 0) continue;
    const why = broken.join(', ');
    pods.set(why, [...(pods.get(why) ?? []), version.name]);
  }
  if (pods.size === 0) return;
  context.warnings.push(
    `existing pods in namespace ${JSON.stringify(name)} violate the new PodSecurity enforce level "${now.level}:${now.version}"`,
    ...[...pods].map(([why, names]) => `${someOf(names)}: ${why}`).sort(),
  );
}

function someOf([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return first;
  return `${first} (and ${others.length} other ${others.length === 1 ? 'pod' : 'pods'})`;
}

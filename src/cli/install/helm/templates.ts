import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { describe } from '../apply-object.ts';
import { faultObjects, type InstalledFault } from '../fault-objects.ts';
import type { InstallObject } from '../install-object.ts';
import { OPERATOR_NAME } from '../names.ts';
import { operatorObjects } from '../operator-objects.ts';
import { webhookConfiguration, webhookObjects } from '../webhook-objects.ts';
import { PLACEHOLDERS, toTemplate } from './placeholders.ts';

/** The operator: in a role of one namespace, or of the cluster. Pure. */
export function operatorTemplate(): string {
  const namespaced = operatorObjects(PLACEHOLDERS);
  const everywhere = operatorObjects({ ...PLACEHOLDERS, watchNamespace: undefined });
  // The Deployment says the namespace in any case; it is empty for all of them.
  const isShared = ({ kind }: InstallObject): boolean => kind === 'Deployment';
  return variants('$.Values.watchNamespace', namespaced, [
    ...everywhere.filter((object) => !isShared(object)),
    ...namespaced.filter(isShared),
  ]);
}

/** The webhook, where it is wanted. Pure. */
export function webhookTemplate(): string {
  const objects = webhookObjects(PLACEHOLDERS);
  const namespaced = webhookConfiguration(PLACEHOLDERS);
  const everywhere = webhookConfiguration({ ...PLACEHOLDERS, watchNamespace: undefined });
  const body = variants('$.Values.watchNamespace', [...objects, namespaced], [...objects, everywhere]);
  return `{{- if .Values.webhook }}\n${body}{{- end }}\n`;
}

/** One fault, in every namespace with engines. Pure. */
export function faultTemplate(fault: InstalledFault): string {
  const cluster = faultObjects(fault, { ...PLACEHOLDERS, faultScope: 'cluster' });
  const namespaced = faultObjects(fault, PLACEHOLDERS);
  return [
    `{{- if or (has "all" .Values.faults) (has ${JSON.stringify(fault.name)} .Values.faults) }}`,
    '{{- range $namespace := (include "turnsole.faultNamespaces" $ | splitList ",") }}',
    variants('eq $.Values.faultScope "cluster"', cluster, namespaced).trimEnd(),
    '{{- end }}',
    '{{- end }}',
    '',
  ].join('\n');
}

/** Objects of two variants: what is the same in both once, the rest under the condition or its opposite. Pure. */
function variants(
  condition: string,
  whenTrue: readonly InstallObject[],
  whenFalse: readonly InstallObject[],
): string {
  const inBoth = (object: InstallObject): boolean =>
    whenTrue.some((other) => isDeepStrictEqual(other, object)) &&
    whenFalse.some((other) => isDeepStrictEqual(other, object));
  const all = [
    ...whenTrue.map((object) => ({ object, guard: inBoth(object) ? undefined : condition })),
    ...whenFalse
      .filter((object) => !inBoth(object))
      .map((object) => ({ object, guard: `not (${condition})` })),
  ];
  return all.map(({ object, guard }) => document(object, guard ?? ownGuard(object))).join('');
}

/** A disruption budget is there with several replicas only. */
function ownGuard({ kind }: InstallObject): string | undefined {
  return kind === 'PodDisruptionBudget' ? 'gt (int $.Values.replicas) 1' : undefined;
}

function document(object: InstallObject, guard: string | undefined): string {
  const yaml = stringify(object, { lineWidth: 120, aliasDuplicateObjects: false });
  const component = object.metadata.name === OPERATOR_NAME ? 'operator' : 'other';
  const text = `---\n# ${toTemplate(describe(object), component)}\n${toTemplate(yaml, component)}`;
  return guard === undefined ? text : `{{- if ${guard} }}\n${text}{{- end }}\n`;
}

import { equalJson } from '@turnsole/kube/text/json';
import { describe } from '../../services/install/apply-object.ts';
import { eventTrackerObjects } from '../../services/install/event-tracker-objects.ts';
import { exporterObjects, monitoringObjects } from '../../services/install/exporter-objects.ts';
import { faultObjects, hasClusterRole, type InstalledFault } from '../../services/install/fault-objects.ts';
import type { InstallObject } from '../../services/install/install-object.ts';
import {
  CONTROL_PLANE_KEY_SECRET,
  EVENT_TRACKER_NAME,
  OPERATOR_NAME,
  SUBSCRIBER_NAME,
  WORKFLOW_CONTROLLER_NAME,
} from '../../services/install/names.ts';
import { operatorObjects } from '../../services/install/operator-objects.ts';
import { withPlatformMetadata } from '../../services/install/platform-values.ts';
import type { InstallSettings } from '../../services/install/settings.ts';
import { subscriberObjects } from '../../services/install/subscriber-objects.ts';
import { webhookConfiguration, webhookObjects } from '../../services/install/webhook-objects.ts';
import { engineGrants, stepAccounts, workflowObjects } from '../../services/install/workflow-objects.ts';
import { yamlText } from '../../services/manifests/yaml-text.ts';
import { controlPlaneVariants } from './control-plane-template.ts';
import { PLACEHOLDERS, toTemplate } from './placeholders.ts';

/** The operator: in a role of one namespace, or of the cluster. Pure. */
export function operatorTemplate(): string {
  return withOneDeployment(operatorObjects);
}

/** The exporter of results, where it is wanted. Pure. */
export function exporterTemplate(): string {
  return `{{- if .Values.exporter }}\n${withOneDeployment(exporterObjects)}{{- end }}\n`;
}

/** ServiceMonitor and PrometheusRule of the exporter for Prometheus' operator, where the values want them. Pure. */
export function monitoringTemplate(): string {
  const body = monitoringObjects(PLACEHOLDERS).map((object) => document(object, undefined));
  return `{{- if .Values.exporter }}\n{{- if .Values.serviceMonitor }}\n${body.join('')}{{- end }}\n{{- end }}\n`;
}

/** Objects of a component whose Deployment has the watched namespace in its environment. */
function withOneDeployment(objectsOf: (settings: InstallSettings) => readonly InstallObject[]): string {
  const namespaced = objectsOf(PLACEHOLDERS);
  const everywhere = objectsOf({ ...PLACEHOLDERS, watchNamespace: undefined });
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

/** The workflow controller, where it is wanted. Pure. */
export function workflowsTemplate(): string {
  return wanted('workflows', workflowObjects);
}

/** The agent of a control plane, where it is wanted. Pure. */
export function subscriberTemplate(): string {
  return wanted('subscriber', subscriberObjects);
}

/** The event tracker, where the values want it. Pure. */
export function eventTrackerTemplate(): string {
  return wanted('eventTracker', eventTrackerObjects);
}

/** A component's objects, where a value wants them, for one namespace or for all. */
function wanted(value: string, objectsOf: (settings: InstallSettings) => readonly InstallObject[]): string {
  const everywhere = objectsOf({ ...PLACEHOLDERS, watchNamespace: undefined });
  const body = variants('$.Values.watchNamespace', objectsOf(PLACEHOLDERS), everywhere);
  return `{{- if .Values.${value} }}\n${body}{{- end }}\n`;
}

/** The control plane, where it is wanted. Its key is made once: an upgrade finds it, and Helm never removes it. Pure. */
export function controlPlaneTemplate(): string {
  const body = controlPlaneVariants().map(({ object, guard }) => document(object, guard));
  return `{{- if .Values.controlPlane }}\n${SECRET_KEY}${body.join('')}{{- end }}\n`;
}

const KEPT = 'helm.sh/resource-policy: keep';

const SECRET_KEY = `---
apiVersion: v1
kind: Secret
metadata:
  name: ${CONTROL_PLANE_KEY_SECRET}
  namespace: {{ $.Release.Namespace }}
  annotations:
    ${KEPT}
    {{- with $.Values.annotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  labels:
    app.kubernetes.io/name: turnsole
    app.kubernetes.io/component: server
    app.kubernetes.io/part-of: litmus
    app.kubernetes.io/managed-by: {{ $.Release.Service }}
    turnsole.io/installation: {{ $.Release.Namespace }}
    {{- with $.Values.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
type: Opaque
data:
  {{- with lookup "v1" "Secret" $.Release.Namespace "${CONTROL_PLANE_KEY_SECRET}" }}
  TURNSOLE_SECRET_KEY: {{ .data.TURNSOLE_SECRET_KEY | default (randBytes 32 | b64enc) }}
  {{- else }}
  TURNSOLE_SECRET_KEY: {{ randBytes 32 | b64enc }}
  {{- end }}
`;

/** Accounts of Litmus' workflows in every namespace with faults. Pure. */
export function stepsTemplate(): string {
  const [place = ''] = PLACEHOLDERS.faultNamespaces;
  return [
    '{{- if .Values.workflows }}',
    '{{- if .Values.faults }}',
    '{{- range $namespace := (include "turnsole.faultNamespaces" $ | splitList ",") }}',
    stepAccounts(place, PLACEHOLDERS)
      .map((object) => document(object, undefined))
      .join('')
      .trimEnd(),
    '{{- end }}',
    '{{- end }}',
    '{{- end }}',
    '',
  ].join('\n');
}

/** One fault, in every namespace with engines. Pure. */
export function faultTemplate(fault: InstalledFault): string {
  const cluster = faultObjects(fault, { ...PLACEHOLDERS, faultScope: 'cluster' });
  const namespaced = faultObjects(fault, PLACEHOLDERS);
  return [
    `{{- if or (has "all" .Values.faults) (has ${JSON.stringify(fault.name)} .Values.faults) }}`,
    '{{- range $namespace := (include "turnsole.faultNamespaces" $ | splitList ",") }}',
    variants('eq $.Values.faultScope "cluster"', cluster, namespaced).trimEnd(),
    '{{- if $.Values.workflows }}',
    variants(
      'eq $.Values.faultScope "cluster"',
      grantsOf(fault, 'cluster'),
      grantsOf(fault, 'namespaced'),
    ).trimEnd(),
    '{{- end }}',
    '{{- end }}',
    '{{- end }}',
    '',
  ].join('\n');
}

function grantsOf(fault: InstalledFault, scope: 'cluster' | 'namespaced'): InstallObject[] {
  const [place = ''] = PLACEHOLDERS.faultNamespaces;
  return engineGrants(fault.name, hasClusterRole(fault, scope), place, PLACEHOLDERS);
}

/** Objects of two variants: common parts once, the rest under the condition or its opposite. Pure. */
function variants(
  condition: string,
  whenTrue: readonly InstallObject[],
  whenFalse: readonly InstallObject[],
): string {
  const inBoth = (object: InstallObject): boolean =>
    whenTrue.some((other) => equalJson(other, object)) && whenFalse.some((other) => equalJson(other, object));
  const all = [
    ...whenTrue.map((object) => ({ object, guard: inBoth(object) ? undefined : condition })),
    ...whenFalse
      .filter((object) => !inBoth(object))
      .map((object) => ({ object, guard: `not (${condition})` })),
  ];
  return all.map(({ object, guard }) => document(object, guard ?? ownGuard(object))).join('');
}

/** Helm leaves the data where it is when the release is removed. */
function keptByHelm(object: InstallObject): InstallObject {
  const [name = '', value] = KEPT.split(': ');
  return { ...object, metadata: { ...object.metadata, annotations: { [name]: value } } } as InstallObject;
}

/** A disruption budget is there with several replicas only. */
function ownGuard({ kind }: InstallObject): string | undefined {
  return kind === 'PodDisruptionBudget' ? 'gt (int $.Values.replicas) 1' : undefined;
}

/** Components of which one replica is active. */
const LEADING: readonly string[] = [WORKFLOW_CONTROLLER_NAME, SUBSCRIBER_NAME, EVENT_TRACKER_NAME];

function componentOf(name: string): 'operator' | 'leading' | 'other' {
  if (name === OPERATOR_NAME) return 'operator';
  return LEADING.includes(name) ? 'leading' : 'other';
}

function document(object: InstallObject, guard: string | undefined): string {
  // Alerts have expressions of Prometheus' own in the same brackets.
  const kept = object.kind === 'PersistentVolumeClaim' ? keptByHelm(object) : object;
  const yaml = yamlText(withPlatformMetadata(kept, PLACEHOLDERS.platform)).replaceAll('{{', '{{ "{{" }}');
  const component = componentOf(object.metadata.name);
  const text = `---\n# ${toTemplate(describe(object), component)}\n${toTemplate(yaml, component)}`;
  return guard === undefined ? text : `{{- if ${guard} }}\n${text}{{- end }}\n`;
}

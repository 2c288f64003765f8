import type { InstallSettings } from '../../services/install/settings.ts';

/**
 * Settings whose values are placeholders: rendered as usual, and what stands for a value in the objects is then replaced by the
 * expression that Helm puts the user's value in. That is how chart and `turnsole install` have one source.
 */
export const PLACEHOLDERS: InstallSettings = {
  namespace: 'HELM-NAMESPACE',
  image: 'HELM-IMAGE',
  // A pull policy by its place; any text does in a template.
  pullPolicy: 'HELM-PULL-POLICY' as InstallSettings['pullPolicy'],
  pullSecrets: ['HELM-PULL-SECRET'],
  watchNamespace: 'HELM-WATCH-NAMESPACE',
  replicas: 987_654,
  leaderElect: true,
  priorityClass: 'HELM-PRIORITY-CLASS',
  webhook: false,
  workflows: true,
  subscriber: true,
  controlPlane: {
    databaseSecret: { name: 'HELM-DATABASE-SECRET', key: 'HELM-DATABASE-KEY' },
    tlsSecret: 'HELM-TLS-SECRET',
    host: 'HELM-HOST',
  },
  eventTracker: true,
  otlpEndpoint: 'HELM-OTLP-ENDPOINT',
  exporter: true,
  serviceMonitor: true,
  instanceId: 'HELM-INSTANCE-ID',
  faults: [],
  faultNamespaces: ['HELM-FAULT-NAMESPACE'],
  faultScope: 'namespaced',
};

/** For components of which one leads. */
const OF_LEADING: readonly (readonly [RegExp, string])[] = [
  [/^ {4}strategy:\n(?: {6,}.*\n)+|^ {2}strategy:\n(?: {4,}.*\n)+/gm, strategy()],
];

/** What users can set of the operator alone. */
const OF_OPERATOR: readonly (readonly [RegExp, string])[] = [
  ...OF_LEADING,
  [
    /^( +)resources:\n(?:\1 {2}(?:requests|limits):\n(?:\1 {4}.*\n)+)+/gm,
    `$1resources: {{- toYaml .Values.resources | nindent 12 }}\n`,
  ],
];

/** From top to bottom; each keeps the indentation of what it replaces. */
const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/^( *)imagePullSecrets:\n *- name: HELM-PULL-SECRET$/gm, `$1${pullSecrets('$1')}`],
  [/^ *priorityClassName: HELM-PRIORITY-CLASS\n/gm, priorityClass(6)],
  [/^( *)- name: (OTEL_\w+)\n *value: HELM-OTLP-ENDPOINT\n/gm, otlpEndpoint()],
  [/apiVersion: policy\/v1$/gm, 'apiVersion: {{ include "turnsole.policyVersion" $ }}'],
  [/managed-by: turnsole$/gm, 'managed-by: {{ $.Release.Service }}'],
  [/HELM-FAULT-NAMESPACE/g, '{{ $namespace }}'],
  [/-leader-elect=true/g, '-leader-elect={{ include "turnsole.leaderElect" $ }}'],
  [/HELM-NAMESPACE/g, '{{ $.Release.Namespace }}'],
  [/HELM-IMAGE/g, '{{ include "turnsole.image" $ | quote }}'],
  [/HELM-PULL-POLICY/g, '{{ $.Values.image.pullPolicy | quote }}'],
  [/-instanceid=HELM-INSTANCE-ID/g, '"-instanceid={{ $.Values.instanceId }}"'],
  [/-managed-namespace=HELM-WATCH-NAMESPACE/g, '"-managed-namespace={{ $.Values.watchNamespace }}"'],
  [/HELM-WATCH-NAMESPACE/g, '{{ $.Values.watchNamespace | quote }}'],
  [/HELM-DATABASE-SECRET/g, '{{ $.Values.controlPlaneDatabaseSecret | quote }}'],
  [/HELM-DATABASE-KEY/g, '{{ $.Values.controlPlaneDatabaseKey | quote }}'],
  [/HELM-TLS-SECRET/g, '{{ $.Values.controlPlaneTlsSecret | quote }}'],
  [/HELM-HOST/g, '{{ $.Values.controlPlaneHost | quote }}'],
  [/987654/g, '{{ $.Values.replicas }}'],
];

/** The YAML of objects of a component, rendered with {@link PLACEHOLDERS}, as a template. Pure. */
export function toTemplate(yaml: string, component: 'operator' | 'leading' | 'other'): string {
  const first = { operator: OF_OPERATOR, leading: OF_LEADING, other: [] }[component];
  const replacements = [...first, ...REPLACEMENTS];
  return replacements.reduce((text, [pattern, expression]) => text.replace(pattern, expression), yaml);
}

function pullSecrets(indent: string): string {
  return [
    '{{- with $.Values.imagePullSecrets }}',
    `${indent}imagePullSecrets:`,
    `${indent}{{- range . }}`,
    `${indent}  - name: {{ . | quote }}`,
    `${indent}{{- end }}`,
    `${indent}{{- end }}`,
  ].join('\n');
}

function priorityClass(indent: number): string {
  const blanks = ' '.repeat(indent);
  return `${blanks}{{- with $.Values.priorityClassName }}\n${blanks}priorityClassName: {{ . | quote }}\n${blanks}{{- end }}\n`;
}

function otlpEndpoint(): string {
  return [
    '$1{{- with $.Values.otlpEndpoint }}',
    '$1- name: $2',
    '$1  value: {{ . | quote }}',
    '$1{{- end }}',
    '',
  ].join('\n');
}

/** Two operators may overlap only when one of them leads. */
function strategy(): string {
  return `  strategy:
    {{- if eq (include "turnsole.leaderElect" $) "true" }}
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 0
    {{- else }}
    type: Recreate
    {{- end }}
`;
}

import type { PlatformValues } from '../../services/install/platform-values.ts';
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
  // Objects and lists by their place, as texts; what they stand for is put in by OPTIONAL below.
  platform: {
    labels: { 'HELM-LABELS': '' },
    annotations: { 'HELM-ANNOTATIONS': '' },
    nodeSelector: 'HELM-NODE-SELECTOR',
    tolerations: 'HELM-TOLERATIONS',
    topologySpreadConstraints: 'HELM-TOPOLOGY-SPREAD',
    extraEnv: [{ name: 'HELM-EXTRA-ENV' }],
    ingressClassName: 'HELM-INGRESS-CLASS',
    ingressAnnotations: { 'HELM-INGRESS-ANNOTATIONS': '' },
    storageClassName: 'HELM-STORAGE-CLASS',
    storageSize: 'HELM-STORAGE-SIZE',
  } as unknown as PlatformValues,
};

type Replacement = readonly [RegExp, string | ((block: string, ...groups: string[]) => string)];

/** A field that is there where the values have it: as it is, or for texts in quotes. */
function optionalField(field: string, placeholder: string, isText = false): Replacement {
  const of = (indent: string): string =>
    isText ? '{{ . | quote }}' : `{{- toYaml . | nindent ${indent.length + 2} }}`;
  return [
    new RegExp(`^( *)${field}: ${placeholder}\\n`, 'gm'),
    (_block, indent = '') =>
      `${indent}{{- with $.Values.${field} }}\n${indent}${field}: ${of(indent)}\n${indent}{{- end }}\n`,
  ];
}

/** Entries of a map or list that are added where the values have them. */
function addedEntries(value: string, line: string): Replacement {
  return [
    new RegExp(`^( *)${line}\\n`, 'gm'),
    (_block, indent = '') =>
      `${indent}{{- with $.Values.${value} }}\n${indent}{{- toYaml . | nindent ${indent.length} }}\n${indent}{{- end }}\n`,
  ];
}

/** A map or list in whose place the values' own comes. */
function replaceable(field: string, value: string, indent: number): Replacement {
  const blanks = ' '.repeat(indent);
  return [
    new RegExp(`^${blanks}${field}:\\n((?:${blanks} {2}.*\\n)+)`, 'gm'),
    (_block, own = '') =>
      `${blanks}${field}:\n${blanks}{{- with $.Values.${value} }}\n${blanks}{{- toYaml . | nindent ${indent + 2} }}\n${blanks}{{- else }}\n${own}${blanks}{{- end }}\n`,
  ];
}

/** Indentation of the fields of a Deployment's pods, and of their containers. */
const OF_POD = 6;
const OF_CONTAINER = 10;

/** What platform teams may ask. */
const OPTIONAL: readonly Replacement[] = [
  optionalField('nodeSelector', 'HELM-NODE-SELECTOR'),
  optionalField('tolerations', 'HELM-TOLERATIONS'),
  optionalField('topologySpreadConstraints', 'HELM-TOPOLOGY-SPREAD'),
  optionalField('ingressClassName', 'HELM-INGRESS-CLASS', true),
  optionalField('storageClassName', 'HELM-STORAGE-CLASS', true),
  [/HELM-STORAGE-SIZE/g, '{{ $.Values.storageSize | quote }}'],
  replaceable('affinity', 'affinity', OF_POD),
  replaceable('securityContext', 'podSecurityContext', OF_POD),
  replaceable('securityContext', 'securityContext', OF_CONTAINER),
  [
    /^( *)annotations:\n *HELM-INGRESS-ANNOTATIONS: ""\n/gm,
    (_block, indent = '') =>
      `${indent}{{- if or $.Values.ingressAnnotations $.Values.annotations }}\n${indent}annotations:\n${indent}  {{- with $.Values.ingressAnnotations }}\n${indent}  {{- toYaml . | nindent ${indent.length + 2} }}\n${indent}  {{- end }}\n${indent}  HELM-END-ANNOTATIONS\n`,
  ],
  [
    /^( *) {2}HELM-END-ANNOTATIONS\n *HELM-ANNOTATIONS: ""\n/gm,
    (_block, indent = '') =>
      `${indent}  {{- with $.Values.annotations }}\n${indent}  {{- toYaml . | nindent ${indent.length + 2} }}\n${indent}  {{- end }}\n${indent}{{- end }}\n`,
  ],
  [
    /^( *)annotations:\n *HELM-ANNOTATIONS: ""\n/gm,
    (_block, indent = '') =>
      `${indent}{{- with $.Values.annotations }}\n${indent}annotations: {{- toYaml . | nindent ${indent.length + 2} }}\n${indent}{{- end }}\n`,
  ],
  addedEntries('annotations', 'HELM-ANNOTATIONS: ""'),
  addedEntries('labels', 'HELM-LABELS: ""'),
  [
    /^( *)env:\n *- name: HELM-EXTRA-ENV\n/gm,
    (_block, indent = '') =>
      `${indent}{{- with $.Values.extraEnv }}\n${indent}env: {{- toYaml . | nindent ${indent.length + 2} }}\n${indent}{{- end }}\n`,
  ],
  addedEntries('extraEnv', '- name: HELM-EXTRA-ENV'),
];

/** For components of which one leads. */
const OF_LEADING: readonly Replacement[] = [
  [/^ {4}strategy:\n(?: {6,}.*\n)+|^ {2}strategy:\n(?: {4,}.*\n)+/gm, strategy()],
];

/** What users can set of the operator alone. */
const OF_OPERATOR: readonly Replacement[] = [
  ...OF_LEADING,
  [
    /^( +)resources:\n(?:\1 {2}(?:requests|limits):\n(?:\1 {4}.*\n)+)+/gm,
    `$1resources: {{- toYaml .Values.resources | nindent 12 }}\n`,
  ],
];

/** From top to bottom; each keeps the indentation of what it replaces. */
const REPLACEMENTS: readonly Replacement[] = [
  ...OPTIONAL,
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
  return replacements.reduce(
    (text, [pattern, expression]) =>
      // The two forms of the method have types of their own.
      typeof expression === 'string' ? text.replace(pattern, expression) : text.replace(pattern, expression),
    yaml,
  );
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

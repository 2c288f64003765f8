import type { PolicyRule } from '@turnsole/kube/kinds/core';
import { EXPORTER_PERMISSIONS } from '../../chaos/permissions/exporter.ts';
import { RUNNER_PERMISSIONS } from '../../chaos/permissions/runner.ts';
import type { Fault } from '../../experiment/injection/fault.ts';
import { COMMON_TUNABLES } from '../../experiment/injection/settings/common-tunables.ts';
import { formatTunable } from '../../experiment/injection/settings/parse-tunables.ts';
import type { Tunable } from '../../experiment/injection/tunables.ts';
import { commonGrants } from '../../experiment/plan/common-requests.ts';
import { EXPERIMENT_PERMISSIONS, EXPERIMENT_WATCHES } from '../../experiment/plan/permissions.ts';
import { boundRole, type InstallObject, serviceAccount } from './install-object.ts';
import { clusterName, LABEL_FAULT, labelsOf } from './names.ts';
import type { InstallSettings } from './settings.ts';

/** The members of a fault that its objects need. */
export type InstalledFault = Pick<
  Fault,
  | 'name'
  | 'summary'
  | 'tunables'
  | 'permissions'
  | 'targets'
  | 'shape'
  | 'health'
  | 'everywhere'
  | 'credentials'
>;

/** Where the definitions have the status as a subresource, writing it needs a permission of its own. */
const STATUS_PERMISSIONS: readonly PolicyRule[] = [
  {
    apiGroups: ['litmuschaos.io'],
    resources: ['chaosengines/status', 'chaosresults/status'],
    verbs: ['patch', 'update'],
  },
];

/** Kinds that belong to no namespace: a Role cannot grant them. */
const CLUSTER_KINDS: ReadonlySet<string> = new Set(['nodes', 'namespaces', 'persistentvolumes']);

/** What faults need and an installation leaves out, as a sentence for people; undefined when nothing is missing. Pure. */
export function leftOutText(
  faults: readonly Pick<InstalledFault, 'name' | 'everywhere'>[],
  scope: InstallSettings['faultScope'],
): string | undefined {
  const names = faults.filter(({ everywhere }) => everywhere === true).map(({ name }) => name);
  if (scope === 'cluster' || names.length === 0) return undefined;
  return (
    `${names.join(', ')} cannot work yet: it acts on pods of all namespaces, which --fault-scope namespaced does not grant. ` +
    `"turnsole install --faults ${names.join(',')} --fault-scope cluster", with your other options, grants it to that fault alone.`
  );
}

/** Name of the service account that engines name as `chaosServiceAccount`; upstream's naming. */
export function faultAccount(fault: string): string {
  return `${fault}-sa`;
}

/** ChaosExperiment, service account and roles of one fault in every namespace with engines. Pure. */
export function faultObjects(fault: InstalledFault, settings: InstallSettings): InstallObject[] {
  return settings.faultNamespaces.flatMap((namespace) => [
    ...faultAccess(fault, namespace, settings),
    chaosExperiment(fault, namespace, settings),
  ]);
}

function faultAccess(fault: InstalledFault, namespace: string, settings: InstallSettings): InstallObject[] {
  const labels = { ...labelsOf(settings, 'fault'), [LABEL_FAULT]: fault.name };
  const name = faultAccount(fault.name);
  const account = { name, namespace };
  const { local, cluster } = faultRules(fault, settings.faultScope);
  // A ClusterRole has no namespace to distinguish the accounts of two namespaces.
  const everywhere = clusterName(settings, `${name}-${namespace}`);
  return [
    serviceAccount(name, namespace, labels, settings.pullSecrets),
    ...boundRole(name, namespace, labels, local, account),
    ...(cluster.length === 0 ? [] : boundRole(everywhere, undefined, labels, cluster, account)),
  ];
}

/** Whether a fault's account has a role of the whole cluster beside that of its namespace. Pure. */
export function hasClusterRole(fault: InstalledFault, scope: InstallSettings['faultScope']): boolean {
  return faultRules(fault, scope).cluster.length > 0;
}

/**
 * The permissions of a fault's service account in the namespace of its engines, and everywhere. Runner and exporter run under it as well.
 * Pure.
 */
export function faultRules(
  fault: Pick<Fault, 'permissions' | 'targets' | 'health'>,
  scope: InstallSettings['faultScope'],
): { readonly local: readonly PolicyRule[]; readonly cluster: readonly PolicyRule[] } {
  const isClusterKind = (resource: string): boolean => CLUSTER_KINDS.has(resource.split('/')[0] ?? '');
  const permissions = [...fault.permissions, ...commonGrants(fault)];
  const part = (wanted: (resource: string) => boolean): PolicyRule[] =>
    permissions
      .map((rule) => ({ ...rule, resources: (rule.resources ?? []).filter(wanted) }))
      .filter(({ resources }) => resources.length > 0);
  const base = [
    ...RUNNER_PERMISSIONS,
    ...EXPERIMENT_PERMISSIONS,
    ...EXPERIMENT_WATCHES,
    ...EXPORTER_PERMISSIONS,
    ...STATUS_PERMISSIONS,
  ];
  return {
    local: [...base, ...part((resource) => !isClusterKind(resource))],
    cluster: scope === 'cluster' ? permissions : part(isClusterKind),
  };
}

/** Settings that are worth seeing in a ChaosExperiment, in this order, before the fault's own. */
const SHOWN: readonly (keyof typeof COMMON_TUNABLES)[] = [
  'TOTAL_CHAOS_DURATION',
  'CHAOS_INTERVAL',
  'RAMP_TIME',
  'SEQUENCE',
  'PODS_AFFECTED_PERC',
  'TARGET_PODS',
  'TARGET_CONTAINER',
  'NODE_LABEL',
];

/**
 * The fault as a ChaosExperiment with all its settings and their defaults; its roles stand beside it. It holds no empty text, which some
 * servers take for a null (docs/decisions/0020): a setting that is empty by default has no value. Pure.
 */
export function chaosExperiment(
  fault: InstalledFault,
  namespace: string,
  settings: Pick<InstallSettings, 'namespace' | 'image' | 'pullPolicy' | 'faultScope'>,
): InstallObject {
  const labels = { ...labelsOf(settings, 'chaosexperiment'), name: fault.name, [LABEL_FAULT]: fault.name };
  const { cluster } = faultRules(fault, settings.faultScope);
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosExperiment',
    metadata: { name: fault.name, namespace, labels },
    description: { message: `${fault.summary}\n` },
    spec: {
      definition: {
        scope: cluster.length === 0 ? 'Namespaced' : 'Cluster',
        image: settings.image,
        imagePullPolicy: settings.pullPolicy,
        // LitmusChaos' manifests have a shell here, which would stay beside our arguments and get them.
        command: [],
        args: ['experiment', '-name', fault.name],
        env: environment(fault),
        ...secretsOf(fault),
        labels: {
          name: fault.name,
          'app.kubernetes.io/part-of': 'litmus',
          'app.kubernetes.io/component': 'experiment-job',
        },
      },
    },
  };
}

function secretsOf({ credentials }: InstalledFault): object {
  if (credentials?.mountPath === undefined) return {};
  return { secrets: [{ name: credentials.secret, mountPath: credentials.mountPath }] };
}

/** A variable of a ChaosExperiment; one that comes from a Secret has no value. */
interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
}

function environment(fault: InstalledFault): Variable[] {
  const own: Readonly<Record<string, Tunable>> = fault.tunables;
  const shown = SHOWN.filter((name) => isShown(name, fault)).map((name): [string, Tunable] => [
    name,
    own[name] ?? COMMON_TUNABLES[name],
  ]);
  const table = new Map<string, Tunable>([...shown, ...Object.entries(own)]);
  const { secret = '', variables = {} } = fault.credentials ?? {};
  return [...table].map(([name, tunable]) => {
    const key = variables[name];
    if (key !== undefined) return { name, valueFrom: { secretKeyRef: { name: secret, key } } };
    const value = formatTunable(tunable, tunable.default);
    return value === '' ? { name } : { name, value };
  });
}

function isShown(name: string, { targets, shape }: InstalledFault): boolean {
  const ofPods = targets === 'pods' || targets === 'containers';
  if (name === 'CHAOS_INTERVAL') return shape === 'pulse';
  if (name === 'PODS_AFFECTED_PERC' || name === 'TARGET_PODS' || name === 'NODE_LABEL') return ofPods;
  if (name === 'TARGET_CONTAINER') return targets === 'containers';
  return true;
}

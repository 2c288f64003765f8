import type { KubeObject } from '@turnsole/kube/kinds/core';
import { AGENT_CONFIG_MAP } from '../../../api/agent-objects.ts';

/** The changes that a server may make by manifests. */
export interface AllowedChanges {
  /** `Kind.group`, or `Kind` of the core group; `*` is everything. */
  readonly kinds: ReadonlySet<string>;
  /** `*` is every one. */
  readonly namespaces: ReadonlySet<string>;
  /** Namespace of the infrastructure: there the agent itself may be removed. */
  readonly ownNamespace: string;
}

/** The namespaces of an infrastructure's runs: its own, and those in which it may change something; undefined for every one. Pure. */
export function namespacesOfRuns({
  namespaces,
  ownNamespace,
}: Pick<AllowedChanges, 'namespaces' | 'ownNamespace'>): readonly string[] | undefined {
  return namespaces.has('*') ? undefined : [...new Set([ownNamespace, ...namespaces])];
}

/** A change that a server asks for. Of a collection, `name` is absent. */
interface WantedChange {
  readonly verb: ManifestVerb;
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for kinds of the cluster. */
  readonly namespace: string;
  readonly name?: string | undefined;
  readonly labels?: KubeObject['metadata']['labels'];
}

export type ManifestVerb = 'create' | 'update' | 'delete' | 'get';

/** Kinds of chaos and workflows: all that ChaosCenter's server has applied. */
export const DEFAULT_KINDS: readonly string[] = [
  'ChaosEngine.litmuschaos.io',
  'ChaosExperiment.litmuschaos.io',
  'ChaosResult.litmuschaos.io',
  'ChaosSchedule.litmuschaos.io',
  'Workflow.argoproj.io',
  'CronWorkflow.argoproj.io',
  'WorkflowTemplate.argoproj.io',
];

/** What the server deletes when an infrastructure is removed; nothing else of these kinds. */
const REMOVAL = {
  configMap: AGENT_CONFIG_MAP,
  deploymentLabel: ['app', 'subscriber'],
} as const;

/** Why a change is not allowed; undefined when it is. Pure. */
export function refusalOf(change: WantedChange, allowed: AllowedChanges): string | undefined {
  if (isRemoval(change, allowed)) return undefined;
  const kind = kindName(change);
  if (!has(allowed.kinds, kind)) {
    return `kind ${kind} is not allowed; ALLOWED_KINDS of this agent names ${[...allowed.kinds].join(', ')}`;
  }
  return refusalOfNamespace(change.namespace, allowed);
}

/** Why nothing of a namespace is changed or shown; undefined where that is allowed. Pure. */
export function refusalOfNamespace(namespace: string, allowed: AllowedChanges): string | undefined {
  if (has(allowed.namespaces, namespace)) return undefined;
  const place = namespace === '' ? 'the whole cluster' : `namespace ${namespace}`;
  return `${place} is not allowed; ALLOWED_NAMESPACES of this agent names ${[...allowed.namespaces].join(', ')}`;
}

/** Whether a name is in a set, or the set is everything. Pure. */
function has(set: ReadonlySet<string>, name: string): boolean {
  return set.has('*') || set.has(name);
}

/** `Kind.group` of an object. Pure. */
function kindName({ apiVersion, kind }: Pick<WantedChange, 'apiVersion' | 'kind'>): string {
  const [group, version] = apiVersion.split('/', 2);
  return version === undefined ? kind : `${kind}.${group}`;
}

/** Whether the change is part of the removal of this agent. Pure. */
function isRemoval(
  { verb, namespace, name, labels, ...of }: WantedChange,
  { ownNamespace }: AllowedChanges,
): boolean {
  if (verb !== 'delete' || namespace !== ownNamespace) return false;
  const kind = kindName(of);
  if (kind === 'ConfigMap') return name === REMOVAL.configMap;
  const [key, value] = REMOVAL.deploymentLabel;
  return kind === 'Deployment.apps' && name === undefined && labels?.[key] === value;
}

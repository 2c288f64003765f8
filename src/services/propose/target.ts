import { suggest } from '@turnsole/kube/schema/suggest';
import { subdomainProblems } from '@turnsole/kube/text/names';
import type { Application, Workload, WorkloadKind } from './application.ts';

/** What `--target` names. */
export interface NamedTarget {
  readonly kind: WorkloadKind | 'pod' | 'node';
  readonly name: string;
}

/** The kinds by the words that kubectl takes for them. */
const KINDS: Readonly<Record<string, NamedTarget['kind']>> = {
  deployment: 'deployment',
  deployments: 'deployment',
  deploy: 'deployment',
  statefulset: 'statefulset',
  statefulsets: 'statefulset',
  sts: 'statefulset',
  daemonset: 'daemonset',
  daemonsets: 'daemonset',
  ds: 'daemonset',
  pod: 'pod',
  pods: 'pod',
  po: 'pod',
  node: 'node',
  nodes: 'node',
  no: 'node',
};

/** Reads `deployment/api`, as kubectl writes it. Pure. @throws TypeError with what is expected */
export function parseTarget(text: string): NamedTarget {
  const [word = '', name = '', ...rest] = text.split('/');
  const kind = Object.hasOwn(KINDS, word.toLowerCase()) ? KINDS[word.toLowerCase()] : undefined;
  if (kind === undefined || rest.length > 0 || subdomainProblems(name).length > 0) {
    const near = kind === undefined ? suggest(word, Object.keys(KINDS)) : undefined;
    const hint = near === undefined || name === '' ? '' : `; did you mean ${near}/${name}?`;
    throw new TypeError(
      `expected KIND/NAME, such as deployment/api; kinds are deployment, statefulset, daemonset, pod and node${hint}`,
    );
  }
  return { kind, name };
}

/** `deployment/api`. Pure. */
export function targetText({ kind, name }: NamedTarget): string {
  return `${kind}/${name}`;
}

/** Workloads that are listed in a message. */
const LISTED = 12;

/**
 * The workload that a target names; undefined for pods and nodes, which a run looks for itself. Pure.
 *
 * @throws RangeError with the names of those that exist
 */
export function workloadNamed(
  target: NamedTarget,
  { workloads }: Application,
  namespace: string,
): Workload | undefined {
  if (target.kind === 'pod' || target.kind === 'node') return undefined;
  const found = workloads.find(
    (one) => one.kind === target.kind && one.name === target.name && one.namespace === namespace,
  );
  if (found !== undefined) return found;
  throw new RangeError(
    `there is no ${targetText(target)} in namespace ${namespace}${whatThereIs(workloads, namespace)}`,
  );
}

/** The workloads of an application, for messages. Pure. */
function whatThereIs(workloads: readonly Workload[], namespace: string): string {
  if (workloads.length === 0) return '; there is no Deployment, StatefulSet or DaemonSet at all';
  const own = workloads.filter((one) => one.namespace === namespace);
  const shown = own.length > 0 ? own : workloads;
  const names = shown
    .slice(0, LISTED)
    .map(
      (one) => `${targetText(one)}${one.namespace === namespace ? '' : ` (--namespace ${one.namespace})`}`,
    );
  const more = shown.length > LISTED ? ` and ${shown.length - LISTED} more` : '';
  return `; there is ${names.join(', ')}${more}`;
}

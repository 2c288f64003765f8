import { PODS, type Pod } from '../../../api/index.ts';
import type { KubeClient } from '../../../kube/client/types.ts';
import type { Clock } from '../../../kube/runtime/clock.ts';
import { askUntil } from '../../injection/ask-until.ts';
import { StatusCheckError } from '../../injection/errors.ts';
import { ANY_KIND, formatEntry, type TargetEntry } from '../../injection/settings/parse-targets.ts';
import { observePods } from '../observe-pods.ts';
import { ownerOf } from '../owner.ts';
import { unhealthyReason } from './judge-pods.ts';

/** The subject of the check, and its time limit. */
interface HealthCheck {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly entries: readonly TargetEntry[];
  /** `namespace:label,namespace:label`. */
  readonly auxiliary: string;
}

/**
 * Resolves when the application under test and the auxiliary applications are healthy.
 *
 * @throws StatusCheckError when they are not in time, with the first pod and container that is not
 */
export async function awaitHealthy(check: HealthCheck): Promise<void> {
  let problem: string | undefined;
  const [first] = check.entries;
  const { client, clock, signal, timeoutMs } = check;
  const healthy = await askUntil({
    clock,
    signal,
    timeoutMs,
    ...(first === undefined ? {} : { bell: { client, resource: PODS, namespace: first.namespace } }),
    ask: async () => {
      problem = await firstProblem(check);
      return problem === undefined ? true : undefined;
    },
  });
  if (healthy === true) return;
  throw new StatusCheckError(
    `the application is not healthy after ${check.timeoutMs / 1000} s: ${problem}; ` +
      'repair it, or raise STATUS_CHECK_TIMEOUT',
  );
}

async function firstProblem(check: HealthCheck): Promise<string | undefined> {
  const problems = await Promise.all([applicationProblem(check), ...auxiliaryProblems(check)]);
  return problems.find((problem) => problem !== undefined);
}

/** Nothing to check without an application, or when any pod of a namespace is meant (as upstream). */
export function hasApplication(entries: readonly TargetEntry[]): boolean {
  return entries.length > 0 && !(entries.length === 1 && entries[0]?.kind === ANY_KIND);
}

async function applicationProblem({ client, signal, entries }: HealthCheck): Promise<string | undefined> {
  if (!hasApplication(entries)) return undefined;
  const observed = await observePods(
    client,
    { entries, targetPods: [], nodeLabel: '', chaosNamespace: '', ownersOf: 'named' },
    signal,
  );
  for (const [index, entry] of entries.entries()) {
    const pods = observed.lists[index] ?? [];
    const groups = groupsOf(entry, pods, (pod) => ownerOf(pod, observed)?.name);
    for (const [name, group] of groups) {
      const problem = unhealthyReason(group);
      if (problem !== undefined) return `${name}: ${problem}`;
    }
  }
  return undefined;
}

/** A label stands for one group of pods; a name for the pods it owns, or for the pod itself. */
function groupsOf(
  entry: TargetEntry,
  pods: readonly Pod[],
  ownerName: (pod: Pod) => string | undefined,
): [string, Pod[]][] {
  if (entry.names.length === 0) return [[formatEntry(entry), [...pods]]];
  return entry.names.map((name) => [
    `${entry.kind} ${entry.namespace}/${name}`,
    pods.filter((pod) => (entry.kind === 'pod' ? pod.metadata.name : ownerName(pod)) === name),
  ]);
}

function auxiliaryProblems({ client, signal, auxiliary }: HealthCheck): Promise<string | undefined>[] {
  return parseAuxiliary(auxiliary).map(async ({ namespace, selector }) => {
    const { items } = await client.list<Pod>(PODS, { namespace, labelSelector: selector, signal });
    const problem = unhealthyReason(items);
    return problem === undefined ? undefined : `auxiliary application ${namespace}:${selector}: ${problem}`;
  });
}

/** Reads `namespace:label,namespace:label`; items without a colon are left out (upstream crashes on them). */
export function parseAuxiliary(text: string): { namespace: string; selector: string }[] {
  return text.split(',').flatMap((item) => {
    const [namespace = '', selector = ''] = item.trim().split(/:(.*)/s);
    return namespace === '' || selector === '' ? [] : [{ namespace, selector }];
  });
}

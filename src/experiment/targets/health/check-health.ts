import type { Clock } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { askUntil } from '../../injection/ask-until.ts';
import { StatusCheckError } from '../../injection/errors.ts';
import { ANY_KIND, formatEntry, type TargetEntry } from '../../injection/settings/parse-targets.ts';
import { isMeantBy } from '../meant-by.ts';
import { observePods } from '../observe-pods.ts';
import { chaosRoleOf } from '../of-chaos.ts';
import { hasOptedIn, type OptInRule } from '../opt-in.ts';
import { ownerOf } from '../owner.ts';
import type { ObservedPods } from '../select-pods.ts';
import {
  countByWorkload,
  type HealthRecord,
  judgeAllShrunk,
  shrunkOf,
  type WorkloadHealth,
} from './health-record.ts';
import { NO_POD, unhealthyReason } from './judge-pods.ts';
import { whyNoneComes } from './pods-to-come.ts';

/** The subject of the check, and its time limit. */
interface HealthCheck {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly entries: readonly TargetEntry[];
  /** `namespace:label,namespace:label`. */
  readonly auxiliary: string;
  /** Only applications that carry this annotation are targets, and so looked at. */
  readonly optIn?: OptInRule | undefined;
  /** After chaos: what was healthy before it. */
  readonly before?: HealthRecord | undefined;
}

/** What was found healthy. */
interface Healthy {
  readonly record: HealthRecord;
  /** What is fewer than before, and no reason to call the application unhealthy. */
  readonly remarks: readonly string[];
}

/** One look: healthy, or why not. */
type Look = Healthy | { readonly problem: string; readonly isFinal?: boolean };

/**
 * Resolves when the application under test and the auxiliary applications are healthy: each entry has at least one pod, all its pods are
 * ready, and (after chaos) each workload has as many of them as before, or as it wants by now.
 *
 * @throws StatusCheckError when they are not in time, with the first pod and container that is not; at once when there is no pod and none
 *   will come
 */
export async function awaitHealthy(check: HealthCheck): Promise<Healthy> {
  let problem: string | undefined;
  const [first] = check.entries;
  const { client, clock, signal, timeoutMs } = check;
  const healthy = await askUntil({
    clock,
    signal,
    timeoutMs,
    ...(first === undefined ? {} : { bell: { client, resource: PODS, namespace: first.namespace } }),
    ask: async () => {
      const look = await lookAt(check);
      if (!('problem' in look)) return look;
      problem = look.problem;
      if (look.isFinal === true) throw noneError(check, look.problem);
      return undefined;
    },
  });
  if (healthy !== undefined) return healthy;
  throw new StatusCheckError(
    `the application is not healthy after ${check.timeoutMs / 1000} s: ${problem}; ` +
      'repair it, or raise STATUS_CHECK_TIMEOUT',
  );
}

/** There is no pod, and waiting would bring none. */
function noneError({ before }: HealthCheck, problem: string): Error {
  return new StatusCheckError(
    before === undefined
      ? `the application is not healthy: ${problem}; check namespace, names, labels and that the workload is running`
      : `the application is not healthy after chaos: ${problem}; it was before`,
  );
}

/** The first problem that an application has now; undefined when it is healthy. For plans. */
export async function healthProblem(
  check: Pick<HealthCheck, 'client' | 'signal' | 'entries' | 'auxiliary' | 'optIn'>,
): Promise<string | undefined> {
  const look = await lookAt(check);
  return 'problem' in look ? look.problem : undefined;
}

async function lookAt(check: Omit<HealthCheck, 'clock' | 'timeoutMs'>): Promise<Look> {
  const [application, ...auxiliary] = await Promise.all([
    lookAtApplication(check),
    ...auxiliaryProblems(check),
  ]);
  const problem = auxiliary.find((one) => one !== undefined);
  return 'problem' in application || problem === undefined ? application : { problem };
}

/** Nothing to check without an application, or when any pod of a namespace is meant (as upstream). */
export function hasApplication(entries: readonly TargetEntry[]): boolean {
  return entries.length > 0 && !(entries.length === 1 && entries[0]?.kind === ANY_KIND);
}

async function lookAtApplication(check: Omit<HealthCheck, 'clock' | 'timeoutMs'>): Promise<Look> {
  const { client, signal, entries, optIn, before } = check;
  if (!hasApplication(entries)) return { record: new Map(), remarks: [] };
  const observed = await observePods(
    client,
    {
      entries,
      targetPods: [],
      nodeLabel: '',
      chaosNamespace: '',
      ownersOf: 'named',
      ...(optIn && { optIn }),
    },
    signal,
  );
  const record = new Map<string, readonly WorkloadHealth[]>();
  const remarks: string[] = [];
  for (const [index, entry] of entries.entries()) {
    for (const { label, name, pods } of groupsOf(entry, observed.lists[index] ?? [], observed, optIn)) {
      const problem = unhealthyReason(pods);
      if (problem !== undefined) {
        const none = problem === NO_POD ? await whyNoneComes(client, entry, name, signal) : undefined;
        return {
          problem: `${label}: ${problem}${none === undefined ? '' : ` (${none})`}`,
          isFinal: none !== undefined,
        };
      }
      const found = countByWorkload(pods, observed);
      record.set(label, found);
      const shrunk = shrunkOf(before?.get(label) ?? [], found);
      for (const { problem: missing, remark } of await judgeAllShrunk(client, shrunk, signal)) {
        if (missing !== undefined) return { problem: missing };
        if (remark !== undefined) remarks.push(remark);
      }
    }
  }
  return { record, remarks };
}

/** Pods that are looked at together. */
interface Group {
  readonly label: string;
  /** Of the workload or pod, where the entry names some. */
  readonly name: string | undefined;
  readonly pods: readonly Pod[];
}

/**
 * A label stands for one group of pods; a name for the pods it owns, or for the pod itself. Pods that can be no targets, because they
 * belong to another kind of workload, to chaos, or to one that does not agree to chaos, are not looked at. Where none agrees, all are, and
 * the selection of targets says what is missing.
 */
function groupsOf(
  entry: TargetEntry,
  listed: readonly Pod[],
  observed: ObservedPods,
  optIn: OptInRule | undefined,
): Group[] {
  const meant = listed.filter(
    (pod) => chaosRoleOf(pod) === undefined && isMeantBy(entry, pod, observed) !== false,
  );
  const willing = optIn === undefined ? meant : meant.filter((pod) => hasOptedIn(pod, optIn, observed));
  const pods = willing.length === 0 ? meant : willing;
  if (entry.names.length === 0) return [{ label: formatEntry(entry), name: undefined, pods }];
  return entry.names.map((name) => ({
    label: `${entry.kind} ${entry.namespace}/${name}`,
    name,
    pods: pods.filter(
      (pod) => (entry.kind === 'pod' ? pod.metadata.name : ownerOf(pod, observed)?.name) === name,
    ),
  }));
}

function auxiliaryProblems({
  client,
  signal,
  auxiliary,
}: Pick<HealthCheck, 'client' | 'signal' | 'auxiliary'>): Promise<string | undefined>[] {
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

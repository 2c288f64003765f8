import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { isObject } from '@turnsole/kube/text/json';
import { labelValueProblems } from '@turnsole/kube/text/names';
import { LABEL_WORKFLOW } from '@turnsole/workflows/kinds/labels';
import { LABEL_CHAOS_UID } from '../../../api/labels.ts';
import type { OwnRequest } from './own-requests.ts';

/** What listing the pods of a run needs. */
interface RunPodsContext {
  readonly client: Pick<KubeClient, 'list'>;
  /** Why a namespace must not be shown; undefined when it may. */
  readonly refusalOf: (namespace: string) => string | undefined;
}

/** A pod of a run that is there. */
interface FoundPod {
  readonly namespace: string;
  readonly name: string;
  /** Those whose logs can be read, in the order of the pod's own. */
  readonly containers: readonly string[];
  readonly phase: string;
  /** RFC 3339; empty before it is known. */
  readonly startedAt: string;
}

/** Per run; each place is a list of pods. */
const MOST_PLACES = 100;

/**
 * Answers the present pods of a run: `{"places": [{"namespace", "workflow" or "engineUID"}]}` becomes `{"pods": […], "problems": […]}`.
 * A place that cannot be read becomes a problem, and the others are answered.
 */
export function runPods({ client, refusalOf }: RunPodsContext): OwnRequest {
  return async ({ places }, signal) => {
    const wanted = (Array.isArray(places) ? places : []).slice(0, MOST_PLACES).flatMap(placeOf);
    const pods: FoundPod[] = [];
    const problems = new Set<string>();
    for (const { namespace, labelSelector } of wanted) {
      const why = refusalOf(namespace);
      if (why !== undefined) {
        problems.add(why);
        continue;
      }
      const { items } = await client.list<Pod>(PODS, {
        namespace,
        labelSelector,
        limit: 500,
        signal,
        // Keeps only the fields that are sent: there may be many objects.
        eachItem: slimPod,
      });
      pods.push(...items.map((pod) => found(pod, namespace)));
    }
    return { pods, problems: [...problems] };
  };
}

interface Place {
  readonly namespace: string;
  readonly labelSelector: string;
}

function placeOf(place: unknown): Place[] {
  if (!isObject(place)) return [];
  const { namespace, workflow, engineUID } = place;
  if (!isLabel(namespace)) return [];
  if (isLabel(workflow)) return [{ namespace, labelSelector: `${LABEL_WORKFLOW}=${workflow}` }];
  return isLabel(engineUID) ? [{ namespace, labelSelector: `${LABEL_CHAOS_UID}=${engineUID}` }] : [];
}

/** A text that cannot mean more than one value of a selector. */
function isLabel(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && labelValueProblems(value).length === 0;
}

function slimPod({ metadata, spec, status }: Pod): Pod {
  const { name, namespace, creationTimestamp } = metadata;
  const containers = (spec?.containers ?? []).map((container) => ({ name: container.name }));
  const { phase, startTime } = status ?? {};
  return {
    metadata: { name, namespace, creationTimestamp },
    spec: { containers },
    status: { phase, startTime },
  };
}

function found({ metadata, spec, status }: Pod, namespace: string): FoundPod {
  return {
    namespace,
    name: metadata.name,
    containers: (spec?.containers ?? []).map(({ name }) => name),
    phase: status?.phase ?? '',
    startedAt: status?.startTime ?? metadata.creationTimestamp ?? '',
  };
}

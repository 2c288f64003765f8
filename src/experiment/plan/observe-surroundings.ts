import { isForbidden, isNotFound, isRefused } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import { type KubeObject, type LabelSelector, objectKey, type Pod } from '@turnsole/kube/kinds/core';
import {
  HORIZONTAL_POD_AUTOSCALERS,
  NODES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  type Resource,
} from '@turnsole/kube/kinds/resources';
import { compileLabelSelector } from '@turnsole/kube/text/label-selector';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosResult,
  type InjectionTarget,
} from '../../api/index.ts';
import { intermediateKinds } from '../targets/owner.ts';
import { type Autoscaler, isScaled } from './autoscalers.ts';
import type { Budget, Surroundings } from './blast-radius.ts';
import type { OtherChaos } from './conflicts.ts';

interface PodDisruptionBudget extends KubeObject {
  readonly spec?: { readonly selector?: LabelSelector | null };
  readonly status?: { readonly disruptionsAllowed?: number };
}

/** In the version that every Kubernetes serves. */
const AUTOSCALERS: Resource = { ...HORIZONTAL_POD_AUTOSCALERS, version: 'v1' };

/** Served instead of v1 before Kubernetes 1.21; an empty selector selects nothing there. */
const OLD_BUDGETS: Resource = { ...POD_DISRUPTION_BUDGETS, version: 'v1beta1' };

/**
 * Looks at the surroundings of the targets and at other chaos. Objects that may not be read are named and left out: a plan says what it
 * knows.
 *
 * @throws ConnectionError and ApiError other than 403 and 404 · the signal's reason
 */
export async function observeSurroundings(
  client: KubeClient,
  targets: readonly InjectionTarget[],
  home: string,
  signal: AbortSignal,
): Promise<{
  readonly around: Surroundings;
  readonly others: OtherChaos;
  readonly autoscalers: readonly Autoscaler[];
}> {
  const look = new Look(client, signal);
  const areNodes = targets.some(({ kind }) => kind === 'node');
  const namespaces = [...new Set(targets.flatMap(({ namespace }) => namespace ?? []))];
  const places: readonly (string | undefined)[] = areNodes ? [undefined] : namespaces;
  const everywhere = async <T extends KubeObject>(resource: Resource): Promise<T[]> =>
    (await Promise.all(places.map((place) => look.list<T>(resource, place)))).flat();
  const [pods, budgets, nodes, engines, results, autoscalers] = await Promise.all([
    everywhere<Pod>(PODS),
    Promise.all(places.map((place) => look.budgets(place))).then((lists) => lists.flat()),
    look.find(NODES, undefined),
    look.widest<ChaosEngine>(CHAOS_ENGINES, [home, ...namespaces]),
    look.widest<ChaosResult>(CHAOS_RESULTS, [home, ...namespaces]),
    targets.some(({ kind }) => isScaled(kind)) ? everywhere<Autoscaler>(AUTOSCALERS) : [],
  ]);
  const kinds = intermediateKinds(pods);
  const between = async (kind: 'ReplicaSet' | 'ReplicationController', resource: Resource) =>
    new Map((kinds.has(kind) ? await everywhere(resource) : []).map((object) => [objectKey(object), object]));
  const [replicaSets, replicationControllers] = await Promise.all([
    between('ReplicaSet', REPLICA_SETS),
    between('ReplicationController', REPLICATION_CONTROLLERS),
  ]);
  const around = {
    pods,
    budgets,
    nodes: nodes?.map(({ metadata }) => metadata.name),
    replicaSets,
    replicationControllers,
    notSeen: look.notSeen,
  };
  return { around, others: { engines, results }, autoscalers };
}

/** Lists that remember what could not be listed. */
class Look {
  readonly notSeen: string[] = [];
  readonly #client: KubeClient;
  readonly #signal: AbortSignal;

  constructor(client: KubeClient, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  async list<T extends KubeObject>(resource: Resource, namespace: string | undefined): Promise<T[]> {
    return (await this.find<T>(resource, namespace)) ?? [];
  }

  /** Undefined, with a note, when they may not be listed. */
  async find<T extends KubeObject>(
    resource: Resource,
    namespace: string | undefined,
  ): Promise<T[] | undefined> {
    try {
      return await this.#get<T>(resource, namespace);
    } catch (error) {
      const where = namespace === undefined ? 'of the cluster' : `in namespace ${namespace}`;
      this.#excuse(error, `${resource.plural} ${where}`);
      return undefined;
    }
  }

  /** Objects of the whole cluster where that is allowed, else of these namespaces. */
  async widest<T extends KubeObject>(resource: Resource, namespaces: readonly string[]): Promise<T[]> {
    try {
      return await this.#get<T>(resource, undefined);
    } catch (error) {
      this.#excuse(error, `${resource.plural} of other namespaces`);
      const lists = [...new Set(namespaces)].map((namespace) => this.list<T>(resource, namespace));
      return (await Promise.all(lists)).flat();
    }
  }

  async budgets(namespace: string | undefined): Promise<Budget[]> {
    try {
      return (await this.#get<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS, namespace)).map((one) =>
        toBudget(one, false),
      );
    } catch (error) {
      if (!isNotFound(error)) {
        const where = namespace === undefined ? 'of the cluster' : `in namespace ${namespace}`;
        this.#excuse(error, `${POD_DISRUPTION_BUDGETS.plural} ${where}`);
        return [];
      }
    }
    return (await this.list<PodDisruptionBudget>(OLD_BUDGETS, namespace)).map((one) => toBudget(one, true));
  }

  async #get<T extends KubeObject>(resource: Resource, namespace: string | undefined): Promise<T[]> {
    const place = namespace === undefined ? {} : { namespace };
    return (await this.#client.list<T>(resource, { ...place, signal: this.#signal })).items;
  }

  #excuse(error: unknown, what: string): void {
    this.#signal.throwIfAborted();
    if (!isRefused(error)) throw error;
    this.notSeen.push(`${what}: ${isForbidden(error) ? 'not allowed to list them' : 'not served here'}`);
  }
}

function toBudget({ metadata, spec, status }: PodDisruptionBudget, emptyIsNone: boolean): Budget {
  const compiled = compileLabelSelector(spec?.selector);
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    selector: emptyIsNone && compiled?.length === 0 ? undefined : compiled,
    allowed: status?.disruptionsAllowed ?? 0,
  };
}

/** What users of a cluster do with it: apply objects, and wait until they are as they should be. */
import type { TypedObject } from '@turnsole/kube/apply/parse-manifests';
import type { KubeClient } from '@turnsole/kube/client/types';
import { type Condition, isConditionTrue } from '@turnsole/kube/kinds/conditions';
import type { CoreEvent, KubeObject } from '@turnsole/kube/kinds/core';
import { EVENTS, type Resource } from '@turnsole/kube/kinds/resources';
import { WaitTimeoutError, waitForObject } from '@turnsole/kube/runtime/wait';

/** An object of a kind that this package has a type of, or of any other. */
type Manifest = TypedObject | (TypedObject & { readonly [field: string]: unknown });

/** Manifests: YAML or JSON with any number of documents, or objects. */
export type Manifests = string | Manifest | readonly Manifest[];

/** How objects are applied. */
export interface ApplyOptions {
  /** Of objects that name none. @default that of the cluster or namespace that this is called on; `default` for a cluster */
  readonly namespace?: string;
  readonly signal?: AbortSignal;
}

/** Limits of a wait. */
export interface WaitOptions extends ApplyOptions {
  /** @default 60_000 */
  readonly timeoutMs?: number;
}

/** A cluster, or a namespace of one, as an administrator uses it. */
export interface ClusterAccess {
  /** Path of a file, of mode 0600, with the administrator's credentials: for kubectl and every other client. */
  readonly kubeconfig: string;
  /** An administrator's client. */
  readonly client: KubeClient;
  /**
   * Stores objects by server-side apply, in their order; after a definition it waits until its kind is served.
   *
   * @returns the objects as they are stored
   * @throws ManifestError for what is no manifest · ApplyError naming the object that was refused; those before it have been stored
   */
  apply(manifests: Manifests, options?: ApplyOptions): Promise<KubeObject[]>;
  /**
   * Waits until a condition of an object is true (`Available`, `Ready`, `Complete`), and resolves to the object as it then was.
   *
   * @throws WaitTimeoutError with the conditions of the object and the last warnings of its namespace
   */
  waitFor<T extends KubeObject>(
    resource: Resource,
    name: string,
    condition: string,
    options?: WaitOptions,
  ): Promise<T>;
  /** The same until it is as the function wants it, which gets undefined while the object is not there. */
  waitFor<T extends KubeObject>(
    resource: Resource,
    name: string,
    holds: (object: T | undefined) => boolean,
    options?: WaitOptions,
  ): Promise<T | undefined>;
}

/** Owner of the fields that are applied. */
const FIELD_MANAGER = 'cluster';
const WAIT_MS = 60_000;

/** @param home namespace of what names none */
export function accessTo(client: KubeClient, kubeconfig: string, home: string): ClusterAccess {
  return {
    kubeconfig,
    client,
    apply: async (manifests, { namespace = home, signal } = {}) => {
      // Loaded when it is needed: a cluster whose users have clients of their own starts without it.
      const [{ parseManifests, typedObjects }, { applyObjects }] = await Promise.all([
        import('@turnsole/kube/apply/parse-manifests'),
        import('@turnsole/kube/apply/apply-objects'),
      ]);
      const objects =
        typeof manifests === 'string'
          ? await parseManifests(manifests)
          : [manifests].flat().flatMap((object) => typedObjects(object, 'the object'));
      return applyObjects(client, objects, { namespace, fieldManager: FIELD_MANAGER, signal });
    },
    waitFor: async <T extends KubeObject>(
      resource: Resource,
      name: string,
      wanted: string | ((object: T | undefined) => boolean),
      { namespace = home, timeoutMs = WAIT_MS, signal }: WaitOptions = {},
    ): Promise<T> => {
      const place = resource.namespaced ? namespace : undefined;
      const holds =
        typeof wanted === 'function'
          ? wanted
          : (object: T | undefined) =>
              isConditionTrue((object as WithConditions | undefined)?.status?.conditions, wanted);
      let last: T | undefined;
      const looked = (object: T | undefined): boolean => {
        last = object;
        return holds(object);
      };
      try {
        const options = { namespace: place, timeoutMs, signal };
        // With a condition there is an object that has it; with a function the caller's type says that it may be missing.
        return (await waitForObject<T>(client, resource, name, looked, options)) as T;
      } catch (error) {
        if (!(error instanceof WaitTimeoutError)) throw error;
        const target = `${resource.kind} ${place === undefined ? name : `${place}/${name}`}`;
        const what = typeof wanted === 'string' ? `${wanted} of ${target}` : target;
        const found = [stateOf(last, wanted), ...(await warningsIn(client, place))].join('; ');
        throw new WaitTimeoutError(what, timeoutMs, found, { cause: error });
      }
    },
  };
}

interface WithConditions extends KubeObject {
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly Pick<Condition, 'type' | 'status' | 'reason' | 'message'>[];
  };
}

/** The state of an object in a few words. Pure. */
export function stateOf(object: WithConditions | undefined, wanted: unknown): string {
  if (object === undefined) return 'it is not there';
  const { phase, conditions = [] } = object.status ?? {};
  const words = conditions
    .filter(({ type }) => typeof wanted !== 'string' || type === wanted)
    .map((condition) => `${condition.type} is ${condition.status}${reasonOf(condition)}`);
  if (typeof wanted === 'string' && words.length === 0) words.push(`it has no condition ${wanted}`);
  return [...(phase === undefined ? [] : [`phase ${phase}`]), ...words].join(', ') || 'it has no status';
}

function reasonOf({ reason, message }: Pick<Condition, 'reason' | 'message'>): string {
  const words = [reason, message].filter((word) => word !== undefined && word !== '');
  return words.length === 0 ? '' : ` (${words.join(': ')})`;
}

/** More warnings than these say nothing new. */
const MAX_WARNINGS = 3;

/** The last warnings of a namespace, which mostly say why something is not as it should be. */
async function warningsIn(client: KubeClient, namespace: string | undefined): Promise<string[]> {
  const options = { namespace, fieldSelector: 'type=Warning' };
  const { items } = await client.list<CoreEvent>(EVENTS, options).catch(() => ({ items: [] }));
  return items
    .slice(-MAX_WARNINGS)
    .map(
      ({ involvedObject, reason, message }) =>
        `${involvedObject?.kind} ${involvedObject?.name}: ${reason}: ${message}`,
    );
}

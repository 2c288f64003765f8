import { isForbidden } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { ConfigMap, KubeObject } from '@turnsole/kube/kinds/core';
import {
  CONFIG_MAPS,
  PERSISTENT_VOLUME_CLAIMS,
  type Resource,
  SECRETS,
} from '@turnsole/kube/kinds/resources';
import { isUpstreamImage, replaceUpstreamImage } from '../../chaos/own-image.ts';
import type { Dependency } from './dependencies.ts';
import type { InstalledOperator } from './installed-operator.ts';
import type { OwnCluster } from './obstacles.ts';

/** A dependency and whether it is there. */
export interface FoundDependency extends Dependency {
  /** The image of upstream's that the installed operator replaces by this one. */
  readonly replaces?: string;
  /**
   * `planned`: the manifests have it, the cluster does not yet. `created`: the run makes it. `pulled`: an image that a pod's start takes from its
   * registry, which is not asked before. `unknown`: reading is not allowed, or
   * only a node knows it (images of a real cluster).
   */
  readonly state: 'present' | 'planned' | 'created' | 'pulled' | 'missing' | 'unknown';
}

/** Options for looking for dependencies. */
interface FindDependenciesOptions {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  /** `Kind/namespace/name` of what will be there when the manifests are applied. */
  readonly planned: ReadonlySet<string>;
  /** Where an image is; absent where only nodes know. */
  readonly placeOfImage?: OwnCluster['placeOfImage'];
  /** Whether the nodes are those of an embedded cluster elsewhere, which has programs in place of upstream's images. */
  readonly hasStandIns?: boolean;
  /** The operator of a cluster where only nodes know. */
  readonly operator?: InstalledOperator;
}

const RESOURCES: Readonly<Record<Exclude<Dependency['kind'], 'Image'>, Resource>> = {
  ConfigMap: CONFIG_MAPS,
  Secret: SECRETS,
  PersistentVolumeClaim: PERSISTENT_VOLUME_CLAIMS,
};

const STATES_OF_IMAGES = { there: 'present', registry: 'pulled', nowhere: 'missing' } as const;

/** Looks for each in the cluster. */
export function findDependencies(
  needed: readonly Dependency[],
  options: FindDependenciesOptions,
): Promise<FoundDependency[]> {
  return Promise.all(
    needed.map(async (one) => {
      const placed = { ...one, ...replacement(one, options.operator) };
      return { ...placed, state: await stateOf(placed, options) };
    }),
  );
}

/** The image that the operator starts in place of the given one. */
function replacement(
  { kind, name }: Dependency,
  operator: InstalledOperator | undefined,
): Pick<FoundDependency, 'name' | 'replaces'> {
  if (kind !== 'Image') return { name };
  const { image } = replaceUpstreamImage({ image: name, pullPolicy: '' }, operator?.ownImage);
  return image === name ? { name } : { name: image, replaces: name };
}

async function stateOf(
  { kind, namespace = '', name, key, created }: Dependency,
  { client, signal, planned, placeOfImage, hasStandIns, operator }: FindDependenciesOptions,
): Promise<FoundDependency['state']> {
  if (kind === 'Image') {
    if (placeOfImage === undefined) {
      if (hasStandIns === true && isUpstreamImage(name)) return 'present';
      return operator?.isRunning === true && operator.ownImage?.name === name ? 'present' : 'unknown';
    }
    return STATES_OF_IMAGES[await placeOfImage(name)];
  }
  try {
    const found = await client.find<KubeObject>(RESOURCES[kind], name, { namespace, signal });
    if (found !== undefined) return hasKey(found, key) ? 'present' : 'missing';
    if (created === true) return 'created';
    return planned.has(`${kind}/${namespace}/${name}`) ? 'planned' : 'missing';
  } catch (error) {
    if (isForbidden(error)) return 'unknown';
    throw error;
  }
}

function hasKey(object: KubeObject, key: string | undefined): boolean {
  if (key === undefined) return true;
  // Config maps and secrets alike hold texts under `data`.
  const { data, binaryData } = object as ConfigMap;
  return Object.hasOwn(data ?? {}, key) || Object.hasOwn(binaryData ?? {}, key);
}

/** The message about a missing dependency. */
export function describeMissing({ kind, namespace, name, key, setting }: Dependency): string {
  const source = setting === undefined ? '' : ` (${setting})`;
  if (kind === 'Image') {
    return `image ${name}${source} is not in the catalogue of the embedded cluster; add it with --image ${name}=COMMAND`;
  }
  const words = {
    ConfigMap: 'config map',
    Secret: 'secret',
    PersistentVolumeClaim: 'persistent volume claim',
  };
  const what = `${words[kind]} ${namespace}/${name}${source}`;
  if (key === undefined) return `${what} not found; create it`;
  return `${what} not found, or it has no key ${key}; create it`;
}

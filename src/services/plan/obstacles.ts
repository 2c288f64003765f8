import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient, KubeList } from '@turnsole/kube/client/types';
import type { Node } from '@turnsole/kube/kinds/core';
import type { ChaosEngine, ChaosExperiment } from '../../api/index.ts';
import { faultNameOf } from '../../chaos/fault-name.ts';
import { lacksOfNode, type MachineLacks } from '../../chaos/machine-lacks.ts';
import { compileSettings } from '../../experiment/injection/settings/compile-settings.ts';
import { experimentEnvironment } from '../../experiment/plan/experiment-env.ts';
import type { LocalNode } from '../../experiment/plan/node-obstacles.ts';
import { nodeObstacles } from '../../experiment/plan/node-obstacles.ts';
import { faultRegistry } from '../../faults/index.ts';
import { CommandError } from '../errors.ts';
import { namespaceOf } from '../manifests/apply.ts';
import type { Manifest } from '../manifests/load.ts';

/** Facts about a cluster that is embedded in this process, whose nodes are this machine. */
export interface OwnCluster {
  /** What faults may need of a machine, and this one lacks. */
  readonly lacks: MachineLacks;
  /** Whether its nodes have the rights and the network of this process, so that what faults want to try can be tried here. */
  readonly isHere: boolean;
  /** Images that run Turnsole's code there. */
  readonly knownImages: readonly string[];
  /** Where an image is that a pod would ask for: on this machine, at its registry, or nowhere that its containers could run from. */
  placeOfImage(image: string): Promise<'there' | 'registry' | 'nowhere'>;
  /** Whether containers of an image find /bin/sh; undefined where that is not known. */
  hasShell(image: string): Promise<boolean | undefined>;
  /** Makes an image be there before pods ask for it, or leaves that to them. Rejects when it cannot be had. */
  bringImage(
    image: string,
    options: { readonly onProgress: (text: string) => void; readonly signal: AbortSignal },
  ): Promise<'there' | 'pulled' | 'left'>;
}

/** The cluster whose machine is checked. */
interface ObstacleOptions {
  readonly client: KubeClient;
  /** Namespace of engines that name none. */
  readonly namespace: string;
  readonly signal: AbortSignal;
  /** The embedded cluster of this process. */
  readonly embedded?: Pick<OwnCluster, keyof LocalNode> | undefined;
}

/** The machine behind the nodes: that of this process, or of an embedded cluster elsewhere, or undefined for other clusters. */
export async function localNodeOf({
  client,
  embedded,
  signal,
}: Omit<ObstacleOptions, 'namespace'>): Promise<LocalNode | undefined> {
  if (embedded !== undefined) return embedded;
  try {
    // All nodes of an embedded cluster are the same machine.
    const { items } = await client.raw<KubeList<Node>>('GET', '/api/v1/nodes?limit=1', undefined, { signal });
    const lacks = items.map(lacksOfNode).find((one) => one !== undefined);
    return lacks === undefined ? undefined : { lacks, isHere: false };
  } catch (error) {
    // A user who may not read nodes finds out by trying.
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/**
 * Refuses manifests whose faults the machine of the cluster cannot inject, as far as the manifests alone show it: before anything of them
 * is applied, so that the command does not wait for an application that then is not hit.
 *
 * @throws CommandError (could not run) with all obstacles
 */
export async function refuseObstacles(
  engines: readonly Manifest[],
  others: readonly Manifest[],
  options: ObstacleOptions,
): Promise<void> {
  const node = await localNodeOf(options);
  if (node === undefined) return;
  const found = await Promise.all(
    engines.map(async (manifest) => {
      const namespace = namespaceOf(manifest, options.namespace);
      // Its structure has been checked when it was loaded.
      const engine = manifest.object as ChaosEngine;
      const entries = engine.spec.experiments ?? [];
      const obstacles = entries.map(async (entry) => {
        const experiment = experimentOf(others, namespace, entry.name, options.namespace);
        if (experiment === undefined) return [];
        const fault = await faultRegistry.get(faultNameOf(experiment))?.();
        if (fault === undefined) return [];
        const { env } = experimentEnvironment(engine, experiment, entry);
        const { settings, problems } = compileSettings(fault, env, Math.random);
        const tunables = problems.length === 0 ? settings.tunables : undefined;
        return nodeObstacles({ fault, tunables, node, targetsShareTools: false, signal: options.signal });
      });
      return (await Promise.all(obstacles)).flat();
    }),
  );
  refuse(found.flat());
}

/** @throws CommandError (could not run) with each obstacle once, unless the list is empty */
export function refuse(obstacles: readonly string[]): void {
  if (obstacles.length > 0) throw new CommandError([...new Set(obstacles)].join('\n'), 'MACHINE_UNFIT');
}

/** The ChaosExperiment among manifests. */
export function experimentOf(
  manifests: readonly Manifest[],
  namespace: string,
  name: string,
  fallback: string,
): ChaosExperiment | undefined {
  const found = manifests.find(
    (one) =>
      one.object.kind === 'ChaosExperiment' &&
      one.object.metadata.name === name &&
      namespaceOf(one, fallback) === namespace,
  );
  // Its structure has been checked when it was loaded.
  return found?.object as ChaosExperiment | undefined;
}

import type { PodSpec } from '@turnsole/kube/kinds/core';
import { messageOf } from '@turnsole/kube/text/error-message';
import { type MergeKeys, mergeByKeys } from '@turnsole/kube/text/strategic-merge';
import { parse } from 'yaml';
import { PodError } from './pod-error.ts';

/** Lists of a pod's spec that are merged, and their keys: patchMergeKey in core/v1 of Kubernetes' API. */
const MERGE_KEYS: MergeKeys = {
  containers: ['name'],
  initContainers: ['name'],
  ephemeralContainers: ['name'],
  volumes: ['name'],
  env: ['name'],
  ports: ['containerPort'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  imagePullSecrets: ['name'],
  hostAliases: ['ip'],
  resourceClaims: ['name'],
  schedulingGates: ['name'],
  topologySpreadConstraints: ['topologyKey'],
};

/**
 * The spec with `podSpecPatch` of workflow and template merged in, in that order.
 *
 * @throws PodError
 */
export function patchPodSpec(spec: PodSpec, patches: readonly (string | undefined)[]): PodSpec {
  let patched = spec;
  for (const text of patches)
    if (text !== undefined && text.trim() !== '') patched = patchOnce(patched, text);
  return patched;
}

function patchOnce(spec: PodSpec, text: string): PodSpec {
  try {
    // The API server judges the outcome; a patch may hold anything.
    const merged: unknown = mergeByKeys(spec, parse(text), MERGE_KEYS);
    return merged as PodSpec;
  } catch (error) {
    throw new PodError(`cannot apply podSpecPatch ${JSON.stringify(text)}: ${messageOf(error)}`);
  }
}

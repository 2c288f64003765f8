/** Finds the kind that a word such as `po`, `pods`, `pod` or `pods.v1.apps` stands for. */

import type { KubeClient } from '../client/types.ts';
import type { Resource } from '../kinds/resources.ts';

interface ServedResource {
  readonly name: string;
  readonly singularName?: string;
  readonly shortNames?: readonly string[];
  readonly kind: string;
  readonly namespaced: boolean;
}

interface ApiGroup {
  readonly name: string;
  readonly preferredVersion: { readonly groupVersion: string };
}

/** Whether a word means a resource of this group; with a dot the group is part of it. Pure. */
function isMeant(word: string, group: string, resource: ServedResource): boolean {
  const [noun = '', ...rest] = word.toLowerCase().split('.');
  const names = [resource.name, resource.singularName, resource.kind, ...(resource.shortNames ?? [])];
  if (!names.some((name) => name?.toLowerCase() === noun)) return false;
  return rest.length === 0 || rest.join('.') === group;
}

/** The resource of a word; the core group comes first, then the others as the server lists them. */
export async function findKind(client: KubeClient, word: string): Promise<Resource | undefined> {
  const core = await find(client, '/api/v1', '', 'v1', word);
  if (core !== undefined) return core;
  const { groups } = await client.raw<{ readonly groups: readonly ApiGroup[] }>('GET', '/apis');
  for (const { name, preferredVersion } of groups) {
    const { groupVersion } = preferredVersion;
    const version = groupVersion.slice(name.length + 1);
    const found = await find(client, `/apis/${groupVersion}`, name, version, word);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function find(
  client: KubeClient,
  path: string,
  group: string,
  version: string,
  word: string,
): Promise<Resource | undefined> {
  const { resources } = await client.raw<{ readonly resources: readonly ServedResource[] }>('GET', path);
  const served = resources.find((one) => !one.name.includes('/') && isMeant(word, group, one));
  if (served === undefined) return undefined;
  const { name: plural, kind, namespaced } = served;
  return { group, version, plural, kind, namespaced };
}

import { isNotFound, unless } from '../client/errors.ts';
import type { KubeClient } from '../client/types.ts';
import { isConditionTrue } from '../kinds/conditions.ts';
import type { KubeObject } from '../kinds/core.ts';
import type { ApiResourceList, Resource } from '../kinds/resources.ts';

/** A custom resource definition as far as discovery of its served versions needs it. */
export interface CustomResourceDefinition extends KubeObject {
  spec: {
    group: string;
    scope: 'Namespaced' | 'Cluster';
    names: { plural: string; kind: string };
    versions: { name: string; served: boolean; storage: boolean }[];
  };
  status?: { conditions?: { type: string; status: string }[] };
}

interface GroupList {
  readonly groups?: readonly {
    readonly name: string;
    readonly preferredVersion?: { readonly version: string };
  }[];
}

/** The verbs needed to follow a resource and to remove its objects. */
const NEEDED_VERBS = ['list', 'watch', 'delete'];

/** All resources whose objects can be listed, watched and deleted, each in its preferred version. */
export async function discoverResources(client: KubeClient, signal: AbortSignal): Promise<Resource[]> {
  const { groups = [] } = await client.raw<GroupList>('GET', '/apis', undefined, { signal });
  const served = [
    { group: '', version: 'v1', path: '/api/v1' },
    ...groups.flatMap(({ name, preferredVersion }) => {
      const version = preferredVersion?.version;
      return version === undefined ? [] : [{ group: name, version, path: `/apis/${name}/${version}` }];
    }),
  ];
  const lists = await Promise.all(
    served.map(async ({ group, version, path }) => {
      // The last definition of the group may have been deleted since the groups were listed.
      const list = await unless(isNotFound, client.raw<ApiResourceList>('GET', path, undefined, { signal }));
      const { resources = [] } = list ?? {};
      return resources
        .filter(
          ({ name, verbs = [] }) => !name.includes('/') && NEEDED_VERBS.every((verb) => verbs.includes(verb)),
        )
        .map(({ name, kind, namespaced }): Resource => ({ group, version, plural: name, kind, namespaced }));
    }),
  );
  return lists.flat();
}

/** The resource a custom resource definition makes, in its stored version if that is served; `undefined` before it is. */
export function resourceOfDefinition(definition: CustomResourceDefinition): Resource | undefined {
  const { group, scope, names, versions } = definition.spec;
  const version =
    versions.find(({ served, storage }) => served && storage) ?? versions.find(({ served }) => served);
  if (version === undefined || !isConditionTrue(definition.status?.conditions, 'Established'))
    return undefined;
  return {
    group,
    version: version.name,
    plural: names.plural,
    kind: names.kind,
    namespaced: scope === 'Namespaced',
  };
}

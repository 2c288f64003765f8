import type { Resource } from '../../../api/resources.ts';
import type { KubeClient } from '../../../kube/client/types.ts';
import type { CustomResourceDefinition } from './types.ts';

interface GroupList {
  readonly groups?: readonly {
    readonly name: string;
    readonly preferredVersion?: { readonly version: string };
  }[];
}

interface ResourceList {
  readonly resources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly verbs?: readonly string[];
  }[];
}

/** What one must be able to do with a resource to follow it and to remove its objects. */
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
      const { resources = [] } = await client.raw<ResourceList>('GET', path, undefined, { signal });
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
  const isEstablished = definition.status?.conditions?.some(
    ({ type, status }) => type === 'Established' && status === 'True',
  );
  const version =
    versions.find(({ served, storage }) => served && storage) ?? versions.find(({ served }) => served);
  if (isEstablished !== true || version === undefined) return undefined;
  return {
    group,
    version: version.name,
    plural: names.plural,
    kind: names.kind,
    namespaced: scope === 'Namespaced',
  };
}

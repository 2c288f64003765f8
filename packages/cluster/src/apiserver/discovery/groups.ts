/** Discovery documents, one for each group version. Source: kubernetes.io, API discovery, Unaggregated discovery. */
import { createHash } from 'node:crypto';
import { ALL_VERBS, type KindDefinition, type ServedVersion } from '../kinds/kind.ts';
import type { KindRegistry } from '../registry/registry.ts';

/** `/api`. */
export function coreVersions(server: string): object {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: new URL(server).host }],
  };
}

/** Groups besides core with their versions, the preferred one first, in the order in which they are served. */
export function groupsOf(kinds: KindRegistry): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const definition of kinds.definitions()) {
    const versions = groups.get(definition.group) ?? [];
    groups.set(definition.group, versions);
    for (const { name } of definition.versions) if (!versions.includes(name)) versions.push(name);
  }
  for (const versions of groups.values()) versions.sort(compareApiVersions);
  return groups;
}

/** Order of preference: v2, v1, v1beta2, v1alpha1, then other names. Source: kubernetes.io, Version priority. */
function compareApiVersions(a: string, b: string): number {
  const rank = (version: string): [number, number, number] => {
    const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
    if (match === null) return [-1, 0, 0];
    const stage = match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0;
    return [stage, Number(match[1]), Number(match[3] ?? 0)];
  };
  const [x, y] = [rank(a), rank(b)];
  for (const index of [0, 1, 2] as const) if (x[index] !== y[index]) return y[index] - x[index];
  return a < b ? -1 : a > b ? 1 : 0;
}

function groupDocument(name: string, versions: readonly string[]): object {
  const entries = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

/** `/apis`. */
export function groupList(kinds: KindRegistry): object {
  const groups = [...groupsOf(kinds)].filter(([name]) => name !== '');
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: groups.map(([name, versions]) => groupDocument(name, versions)),
  };
}

/** `/apis/<group>`; undefined when it is not served. */
export function groupOf(kinds: KindRegistry, name: string): object | undefined {
  const versions = name === '' ? undefined : groupsOf(kinds).get(name);
  if (versions === undefined) return undefined;
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupDocument(name, versions) };
}

/** `/api/v1`, `/apis/<group>/<version>`; undefined when it is not served. */
export function resourceList(kinds: KindRegistry, group: string, version: string): object | undefined {
  if (!kinds.hasVersion(group, version)) return undefined;
  const resources = servedKinds(kinds, group, version).flatMap((kind) => resourceEntries(...kind));
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources,
  };
}

/** The kinds of a group version, by their plural names. */
export function servedKinds(
  kinds: KindRegistry,
  group: string,
  version: string,
): [KindDefinition, ServedVersion][] {
  const found: [KindDefinition, ServedVersion][] = [];
  for (const definition of kinds.definitions()) {
    if (definition.group !== group) continue;
    const match = definition.versions.find(({ name }) => name === version);
    if (match !== undefined) found.push([definition, match]);
  }
  return found.sort(([a], [b]) => (a.plural < b.plural ? -1 : 1));
}

function resourceEntries(definition: KindDefinition, version: ServedVersion): object[] {
  const { plural, singular, namespaced, kind, shortNames, categories } = definition;
  const entries: object[] = [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs: verbsOf(definition),
      ...(shortNames.length === 0 ? {} : { shortNames }),
      ...(categories.length === 0 ? {} : { categories }),
      ...(definition.verbs?.includes('list') === false
        ? {}
        : { storageVersionHash: storageHash(definition) }),
    },
  ];
  for (const sub of subresourcesOf(definition, version)) {
    entries.push({
      name: `${plural}/${sub.name}`,
      singularName: '',
      namespaced,
      group: sub.group,
      version: sub.version,
      kind: sub.kind,
      verbs: sub.verbs,
    });
  }
  return entries;
}

/** Custom kinds list their verbs in another order. */
export function verbsOf(definition: KindDefinition): readonly string[] {
  const isCustom = definition.versions[0]?.type === undefined;
  return definition.verbs ?? (isCustom ? CUSTOM_VERBS : ALL_VERBS);
}

const CUSTOM_VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/** Changes with the version that is stored: how migrations are noticed. */
function storageHash({ group, storedVersion, kind }: KindDefinition): string {
  return createHash('sha256')
    .update(`${group}/${storedVersion}/${kind}`)
    .digest()
    .subarray(0, 8)
    .toString('base64');
}

/** Those of one version: versions of a custom kind may differ. */
export function subresourcesOf(
  definition: KindDefinition,
  version: ServedVersion,
): NonNullable<KindDefinition['subresources']> {
  const verbs = ['get', 'patch', 'update'];
  return [
    ...((version.hasStatus ?? definition.hasStatus)
      ? [{ name: 'status', kind: definition.kind, verbs }]
      : []),
    ...(definition.scale === undefined
      ? []
      : [{ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs }]),
    ...(definition.subresources ?? []),
  ];
}

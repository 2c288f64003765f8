import { isObject } from '@turnsole/kube/text/json';
import type { ARTIFACT_LOCATIONS, Artifact } from '../kinds/parameters.ts';

/** Where an artifact lies: a kind of store, and what it takes to find it there. */
export interface Location {
  readonly kind: LocationKind;
  readonly fields: Readonly<Record<string, unknown>>;
}

interface KindFacts {
  /** The field that says which artifact of the store it is. */
  readonly key: string;
  /** Fields without which the store itself is not known; a location that lacks one takes them from the repository. */
  readonly store: readonly string[];
  /** What to use instead, for stores that Turnsole cannot reach. */
  readonly instead?: string;
}

const S3_INSTEAD = 'use an S3-compatible store';

/** `volume` is Turnsole's own: a volume of Kubernetes that helpers mount, such as a claim or a folder of the node. */
const KINDS = {
  s3: { key: 'key', store: ['endpoint', 'bucket'] },
  artifactory: { key: 'url', store: ['url'] },
  http: { key: 'url', store: ['url'] },
  git: { key: 'repo', store: ['repo'] },
  volume: { key: 'key', store: [] },
  gcs: {
    key: 'key',
    store: ['bucket'],
    instead: 'Cloud Storage speaks S3 at storage.googleapis.com, with HMAC keys',
  },
  azure: { key: 'blob', store: ['endpoint', 'container'], instead: S3_INSTEAD },
  oss: { key: 'key', store: ['endpoint', 'bucket'], instead: 'OSS speaks S3 at its endpoints as well' },
  hdfs: { key: 'path', store: ['addresses'], instead: S3_INSTEAD },
  plugin: { key: 'key', store: ['name'], instead: S3_INSTEAD },
} as const satisfies Record<Exclude<(typeof ARTIFACT_LOCATIONS)[number], 'raw'>, KindFacts>;

type LocationKind = keyof typeof KINDS;

const NAMES = Object.keys(KINDS) as LocationKind[];

/** The location of an artifact; undefined for those that have none, or carry their text (`raw`). */
export function locationOf(artifact: Readonly<Record<string, unknown>>): Location | undefined {
  for (const kind of NAMES) {
    const fields = artifact[kind];
    if (isObject(fields)) return { kind, fields };
  }
  return undefined;
}

/** Whether an input artifact comes from a store. */
export function isFetched(artifact: Artifact): boolean {
  return locationOf(artifact) !== undefined;
}

/** The key of a location: its URL where that is what names it. */
export function keyOf({ kind, fields }: Location): string {
  const key = fields[KINDS[kind].key];
  return typeof key === 'string' ? key : '';
}

export function withKey({ kind, fields }: Location, key: string): Location {
  return { kind, fields: { ...fields, [KINDS[kind].key]: key } };
}

/** Whether the location says which store it means. */
export function isComplete({ kind, fields }: Location): boolean {
  if (kind === 'volume') return Object.keys(fields).some((field) => field !== 'key');
  return KINDS[kind].store.every((field) => fields[field] !== undefined && fields[field] !== '');
}

/** Whether an artifact says where it lies, at least by a key in the repository. A text of its own (`raw`) is a place, also an empty one. */
export function saysWhere(artifact: Readonly<Record<string, unknown>>): boolean {
  const location = locationOf(artifact);
  if (location === undefined) return isObject(artifact['raw']);
  return location.kind === 'volume' || keyOf(location) !== '';
}

/** What to use in place of a store that Turnsole cannot reach; undefined for those that it can. */
export function unreachable(kind: LocationKind): string | undefined {
  const facts: KindFacts = KINDS[kind];
  return facts.instead;
}

/** An artifact with another location. */
export function located(artifact: Artifact, { kind, fields }: Location): Artifact {
  const others = Object.entries(artifact).filter(([field]) => !(NAMES as string[]).includes(field));
  return { ...(Object.fromEntries(others) as Artifact), name: artifact.name, [kind]: fields };
}

import { isObject } from '@turnsole/kube/text/json';
import { ArtifactError } from './artifact-error.ts';
import { type Location, locationOf } from './location.ts';

/** A store in which artifacts are kept that name none themselves. */
export interface ArtifactRepository {
  /** The store: everything but the key. */
  readonly store: Location;
  /** What keys begin with, with tags. */
  readonly keyFormat: string;
  /** Whether logs are kept where neither template nor workflow says it. */
  readonly archiveLogs: boolean;
}

export const DEFAULT_FORMAT = '{{workflow.name}}/{{pod.name}}';

/** Names of the field with the format, as the kinds of stores have it. */
const FORMATS = ['keyFormat', 'blobNameFormat', 'pathFormat', 'repoURL'] as const;

/**
 * A repository from the configuration or an entry of a ConfigMap.
 *
 * @param where the source, for messages: `ConfigMap argo/artifact-repositories, key default`
 * @throws ArtifactError
 */
export function readRepository(value: unknown, where: string): ArtifactRepository | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw new ArtifactError(`${where}: an artifact repository is an object`);
  const found = locationOf(value);
  const archiveLogs = value['archiveLogs'] === true;
  if (found === undefined) {
    if (Object.keys(value).length === 0) return undefined;
    throw new ArtifactError(`${where}: no store; give it one of s3, artifactory or volume`);
  }
  const { kind, fields } = found;
  const store = Object.entries(fields).filter(([field]) => !(FORMATS as readonly string[]).includes(field));
  if (kind === 'artifactory') {
    // Its location is a URL, so that the format of its keys begins with that of the repository.
    const url = String(fields['repoURL'] ?? '').replace(/\/+$/, '');
    if (url === '') throw new ArtifactError(`${where}: artifactory.repoURL is required`);
    const format = String(fields['keyFormat'] || DEFAULT_FORMAT);
    return { store: { kind, fields: Object.fromEntries(store) }, keyFormat: `${url}/${format}`, archiveLogs };
  }
  const format = FORMATS.map((field) => fields[field]).find((one) => typeof one === 'string' && one !== '') as
    | string
    | undefined;
  return {
    store: { kind, fields: Object.fromEntries(store) },
    keyFormat: format ?? DEFAULT_FORMAT,
    archiveLogs,
  };
}

/** Where a workflow's repository is described (`spec.artifactRepositoryRef`). */
interface RepositoryRef {
  readonly configMap?: string;
  readonly key?: string;
}

export const DEFAULT_REPOSITORIES = 'artifact-repositories';

const DEFAULT_KEY = 'workflows.argoproj.io/default-artifact-repository';

/**
 * The key of a ConfigMap with repositories: that of the reference, else the one that the map's annotation names.
 *
 * @throws ArtifactError
 */
export function repositoryKey(
  ref: RepositoryRef,
  map: {
    readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
    readonly data?: Readonly<Record<string, string>>;
  },
): string {
  const key = ref.key || map.metadata.annotations?.[DEFAULT_KEY];
  const known = Object.keys(map.data ?? {});
  if (key === undefined)
    throw new ArtifactError(
      `ConfigMap ${map.metadata.name} has no annotation ${DEFAULT_KEY}, and artifactRepositoryRef names no key; its keys are ${known.join(', ')}`,
    );
  if (!known.includes(key))
    throw new ArtifactError(
      `ConfigMap ${map.metadata.name} has no artifact repository ${key}; its keys are ${known.join(', ')}`,
    );
  return key;
}

import type { Container, Pod, Volume } from '@turnsole/kube/kinds/core';
import { fieldValue, type PodPlacement, resourceValue } from '../env/downward.ts';
import { configMapData, type ReferenceSource, secretData } from '../env/references.ts';
import type { Payload, PayloadFile } from './atomic-writer.ts';

/** A token for a pod's service account. */
export interface BoundToken {
  readonly token: string;
  readonly expiresAtMs: number;
}

/** Where the contents of volumes come from. */
export interface VolumeSources {
  readonly references: ReferenceSource;
  /** Asks for a token bound to the pod. */
  token(pod: Pod, audience: string | undefined, expirationSeconds: number): Promise<BoundToken>;
  /** The cluster's certificate authority (PEM), in case the namespace's `kube-root-ca.crt` does not exist yet. */
  readonly clusterAuthority: string;
}

/** Contents of a volume, and when they are to be made anew at the latest (tokens expire). */
interface RenderedVolume {
  readonly payload: Payload;
  readonly refreshAtMs?: number;
}

type Projected = NonNullable<Volume['projected']>;
type Source = NonNullable<Projected['sources']>[number];
type KeyToPath = { readonly key: string; readonly path: string; readonly mode?: number };
type DownwardFile = NonNullable<NonNullable<Volume['downwardAPI']>['items']>[number];

const DEFAULT_MODE = 0o644;
const DEFAULT_TOKEN_SECONDS = 3600;
/** A token is replaced when this share of its life is over (kubelet's rule). */
const TOKEN_REFRESH_SHARE = 0.8;
const ROOT_CA_NAME = 'kube-root-ca.crt';

/** Whether the volume is made of files that the agent writes (and not a folder the pod writes to). */
export function isRendered(volume: Volume): boolean {
  return (
    volume.configMap !== undefined ||
    volume.secret !== undefined ||
    volume.downwardAPI !== undefined ||
    volume.projected !== undefined
  );
}

/**
 * Gives the files of a config map, secret, downward API or projected volume.
 *
 * @throws Error with kubelet's sentence when an object or key that is not optional is missing
 */
export async function renderVolume(
  volume: Volume,
  pod: Pod,
  placement: PodPlacement,
  sources: VolumeSources,
  nowMs: number,
): Promise<RenderedVolume> {
  const { configMap, secret, downwardAPI, projected } = volume;
  const parts: Source[] =
    projected?.sources ??
    (configMap !== undefined
      ? [{ configMap }]
      : secret !== undefined
        ? [{ secret: { ...secret, name: secret.secretName } }]
        : downwardAPI !== undefined
          ? [{ downwardAPI }]
          : []);
  const mode =
    projected?.defaultMode ??
    configMap?.defaultMode ??
    secret?.defaultMode ??
    downwardAPI?.defaultMode ??
    DEFAULT_MODE;
  const payload = new Map<string, PayloadFile>();
  let refreshAtMs: number | undefined;
  for (const part of parts) {
    const rendered = await renderSource(part, mode, pod, placement, sources, nowMs);
    for (const [path, file] of rendered.payload) payload.set(checkedPath(path), file);
    const at = rendered.refreshAtMs;
    if (at !== undefined) refreshAtMs = Math.min(at, refreshAtMs ?? at);
  }
  return { payload, refreshAtMs };
}

async function renderSource(
  source: Source,
  mode: number,
  pod: Pod,
  placement: PodPlacement,
  sources: VolumeSources,
  nowMs: number,
): Promise<RenderedVolume> {
  const namespace = pod.metadata.namespace ?? '';
  if (source.configMap !== undefined) {
    const { name = '', items, optional } = source.configMap;
    const object = await sources.references.configMap(namespace, name);
    const known = object === undefined ? undefined : configMapData(object);
    // The controller that publishes it may be a moment behind a pod in a new namespace.
    const data = known ?? (name === ROOT_CA_NAME ? rootAuthority(sources) : undefined);
    return { payload: pick('configmap', name, data, items, optional, mode) };
  }
  if (source.secret !== undefined) {
    const { name = '', items, optional } = source.secret;
    const object = await sources.references.secret(namespace, name);
    const data = object === undefined ? undefined : secretData(object);
    return { payload: pick('secret', name, data, items, optional, mode) };
  }
  if (source.downwardAPI !== undefined) {
    const files = (source.downwardAPI.items ?? []).map((item): [string, PayloadFile] => [
      item.path,
      { data: Buffer.from(downwardText(item, pod, placement)), mode: item.mode ?? mode },
    ]);
    return { payload: new Map(files) };
  }
  if (source.serviceAccountToken !== undefined) {
    const { path, audience, expirationSeconds = DEFAULT_TOKEN_SECONDS } = source.serviceAccountToken;
    const { token, expiresAtMs } = await sources.token(pod, audience, expirationSeconds);
    return {
      payload: new Map([[path, { data: Buffer.from(token), mode }]]),
      refreshAtMs: nowMs + (expiresAtMs - nowMs) * TOKEN_REFRESH_SHARE,
    };
  }
  throw new Error(
    `projected source ${Object.keys(source).join(', ')} is not supported by the embedded cluster`,
  );
}

function rootAuthority(sources: VolumeSources): Map<string, Buffer> {
  return new Map([['ca.crt', Buffer.from(sources.clusterAuthority)]]);
}

function pick(
  kind: 'configmap' | 'secret',
  name: string,
  data: ReadonlyMap<string, Buffer> | undefined,
  items: readonly KeyToPath[] | undefined,
  optional: boolean | undefined,
  mode: number,
): Payload {
  if (data === undefined) {
    if (optional === true) return new Map();
    throw new Error(`${kind} ${JSON.stringify(name)} not found`);
  }
  if (items === undefined || items.length === 0) {
    return new Map([...data].map(([key, value]) => [key, { data: value, mode }]));
  }
  const payload = new Map<string, PayloadFile>();
  for (const item of items) {
    const value = data.get(item.key);
    if (value !== undefined) payload.set(item.path, { data: value, mode: item.mode ?? mode });
    else if (optional !== true) {
      throw new Error(`references non-existent ${kind === 'secret' ? 'secret' : 'config'} key: ${item.key}`);
    }
  }
  return payload;
}

function downwardText(item: DownwardFile, pod: Pod, placement: PodPlacement): string {
  const { fieldRef, resourceFieldRef } = item;
  const value =
    fieldRef !== undefined
      ? fieldValue(fieldRef.fieldPath, pod, placement)
      : resourceFieldRef === undefined
        ? ''
        : resourceValue(
            resourceFieldRef.resource,
            resourceFieldRef.divisor,
            containerNamed(pod, resourceFieldRef.containerName),
            placement,
          );
  if (value === undefined) {
    throw new Error(
      `unsupported field ${fieldRef?.fieldPath ?? resourceFieldRef?.resource} for file ${item.path}`,
    );
  }
  return value;
}

function containerNamed(pod: Pod, name: string | undefined): Container {
  const all = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  const found = all.find((container) => container.name === name);
  if (found === undefined) throw new Error(`container ${name ?? ''} not found`);
  return found;
}

/** Keeps a path inside its volume; the API server refuses others, and a bug there must not write anywhere else. */
export function checkedPath(path: string): string {
  const parts = path.split('/');
  if (
    path.startsWith('/') ||
    parts.some((part) => part === '..' || part === '') ||
    parts[0]?.startsWith('..')
  ) {
    throw new Error(`invalid path ${JSON.stringify(path)}: must be relative and must not contain ".."`);
  }
  return path;
}

import { isObject } from '@turnsole/kube/text/json';
import { ArtifactError } from '../artifacts/artifact-error.ts';
import { isFetched, keyOf, locationOf, saysWhere } from '../artifacts/location.ts';
import { type ArtifactRepository, DEFAULT_FORMAT } from '../artifacts/repository.ts';
import { completed, type Placed, resolveInput, resolveOutput } from '../artifacts/resolve.ts';
import type { CreatePod } from '../engine/change.ts';
import { KEEP, renderTags } from '../expression/tags/render.ts';
import type { Artifact } from '../kinds/parameters.ts';
import type { Template } from '../kinds/template.ts';
import type { Collection } from './collection.ts';
import { mainContainers } from './containers.ts';
import { PodError } from './pod-error.ts';

/** The artifacts that the helper of a node brings and stores, with everything that takes. */
export interface NodeArtifacts {
  readonly inputs: readonly Artifact[];
  /** In the order of the template's outputs. */
  readonly outputs: readonly Placed[];
  readonly logs: readonly LogPlaced[];
  /** For a `resource` template whose manifest is an artifact. */
  readonly manifest?: Artifact;
  /** For a `data` template: where the keys are listed. */
  readonly listed?: Artifact;
  /** For a pod that deletes artifacts: the artifacts. */
  readonly garbage?: readonly Artifact[];
}

/** Where the log of a container is kept. */
export interface LogPlaced extends Placed {
  readonly container: string;
}

/**
 * The artifacts of a node, each with its store. Pure.
 *
 * @throws PodError for one that cannot be brought or stored
 */
export function nodeArtifacts(
  action: CreatePod,
  how: Collection,
  repository: ArtifactRepository | undefined,
  names: ReadonlyMap<string, string>,
): NodeArtifacts {
  const { template, podName } = action;
  const { inputs, outputs, data, archiveLocation } = template;
  const render = (text: string): string => rendered(text, podName, names);
  const manifest = manifestOf(template);
  const hasLogs = how.kind === 'helper' && how.uses.includes('logs');
  try {
    const own = baseOf(archiveLocation, repository);
    return {
      inputs: (inputs?.artifacts ?? [])
        .filter(isFetched)
        .map((artifact) => resolveInput(artifact, repository, render)),
      outputs: (outputs?.artifacts ?? [])
        .filter(({ path }) => path !== undefined)
        .map((artifact) => resolveOutput(artifact, own, render)),
      logs: hasLogs
        ? mainContainers(template).map(({ container }) => logOf(container.name, own, render))
        : [],
      ...(manifest !== undefined && {
        manifest: manifest.raw === undefined ? resolveInput(manifest, repository, render) : manifest,
      }),
      ...(data?.source?.artifactPaths && {
        listed: resolveInput({ ...data.source.artifactPaths, name: 'artifactPaths' }, repository, render),
      }),
    };
  } catch (cause) {
    if (cause instanceof ArtifactError) throw new PodError(cause.message, { cause });
    throw cause;
  }
}

function logOf(
  container: string,
  repository: ArtifactRepository | undefined,
  render: (text: string) => string,
): LogPlaced {
  const archive = { none: {} };
  const artifact: Artifact = { name: `${container}-logs`, path: `${container}.log`, archive };
  const placed = resolveOutput(artifact, repository, render);
  const { path: _path, archive: _archive, ...shown } = placed.artifact;
  return { container, artifact: shown, target: placed.target };
}

/** The repository that counts for outputs of the template: one with a location of its own (`archiveLocation`) keeps them below that. */
export function baseOf(
  archiveLocation: unknown,
  repository: ArtifactRepository | undefined,
): ArtifactRepository | undefined {
  const own = isObject(archiveLocation) ? locationOf(archiveLocation) : undefined;
  if (own === undefined) return repository;
  const { kind, fields } = completed('archiveLocation', own, repository);
  const keyFormat = keyOf({ kind, fields }) || repository?.keyFormat || DEFAULT_FORMAT;
  return { store: { kind, fields }, keyFormat, archiveLogs: repository?.archiveLogs ?? false };
}

/** @throws PodError for a key with a tag that cannot be replaced */
function rendered(text: string, podName: string, names: ReadonlyMap<string, string>): string {
  const lookup = (name: string): string | undefined => (name === 'pod.name' ? podName : names.get(name));
  const key: string = JSON.parse(renderTags(JSON.stringify(text), { lookup, evaluate: () => KEEP }));
  if (!key.includes('{{')) return key;
  throw new PodError(
    `the key ${key} of an artifact has a tag that stands for nothing: correct the key or the format of keys`,
  );
}

/** The artifact that holds the manifest: the input of that name, unless it says itself where it lies. */
function manifestOf({ resource, inputs }: Template): Artifact | undefined {
  const artifact: Artifact | undefined = resource?.manifestFrom?.artifact;
  if (artifact === undefined || saysWhere(artifact)) return artifact;
  return inputs?.artifacts?.find(({ name }) => name === artifact.name) ?? artifact;
}

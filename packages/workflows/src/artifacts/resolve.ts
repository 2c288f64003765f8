import type { Artifact } from '../kinds/parameters.ts';
import { ArtifactError } from './artifact-error.ts';
import { isComplete, keyOf, type Location, located, locationOf, withKey } from './location.ts';
import type { ArtifactRepository } from './repository.ts';
import { locationProblem } from './support.ts';

/** An artifact that a node leaves. */
export interface Placed {
  /** As the node's status shows it: what the repository says is left out. */
  readonly artifact: Artifact;
  /** Where it is stored, with everything that storing needs. */
  readonly target: Artifact;
}

/** A text with names of the workflow and of the pod in place of its tags. */
type Render = (text: string) => string;

/**
 * An artifact with a location that needs no repository any more.
 *
 * @throws ArtifactError for one that lies nowhere, or where Turnsole cannot get it
 */
export function resolveInput(
  artifact: Artifact,
  repository: ArtifactRepository | undefined,
  render: Render,
): Artifact {
  const location = locationOf(artifact);
  if (location === undefined)
    throw new ArtifactError(
      `artifact ${artifact.name} has no location: give it one, or pass it as an argument`,
    );
  const whole = completed(artifact.name, location, repository);
  return located(artifact, withKey(whole, render(below(keyOf(whole), artifact.subPath))));
}

function below(key: string, subPath = ''): string {
  return subPath === '' ? key : `${key.replace(/\/+$/, '')}/${subPath}`;
}

/**
 * The place of an output artifact: its own location, or the repository under a key that follows from node and name.
 *
 * @throws ArtifactError
 */
export function resolveOutput(
  artifact: Artifact,
  repository: ArtifactRepository | undefined,
  render: Render,
): Placed {
  const own = locationOf(artifact);
  const wanted = own ?? generated(artifact, repository);
  const key = render(keyOf(wanted));
  const target = withKey(completed(artifact.name, wanted, repository), key);
  if (target.kind === 'git')
    throw new ArtifactError(
      `artifact ${artifact.name}: outputs cannot be stored in git; give it another location`,
    );
  const shown = own !== undefined && isComplete(own) ? withKey(own, key) : keyOnly(target);
  return { artifact: located(artifact, shown), target: located(artifact, target) };
}

/** The part of a location that the repository does not say. */
function keyOnly(location: Location): Location {
  return withKey({ kind: location.kind, fields: {} }, keyOf(location));
}

function generated(artifact: Artifact, repository: ArtifactRepository | undefined): Location {
  if (repository === undefined)
    throw new ArtifactError(
      `artifact ${artifact.name} has no location, and there is no artifact repository to put it into: configure \`artifactRepository\`, ` +
        'or the ConfigMap artifact-repositories in the namespace of the workflow',
    );
  return withKey(repository.store, `${repository.keyFormat}/${fileName(artifact)}`);
}

/** Tarballs by default; a file that is stored unpacked keeps its own name. */
function fileName({ name, path = '', archive }: Artifact): string {
  const how: object = typeof archive === 'object' && archive !== null ? archive : {};
  if ('zip' in how) return `${name}.zip`;
  if (!('none' in how)) return `${name}.tgz`;
  return path.replace(/\/+$/, '').split('/').at(-1) || name;
}

/**
 * A location with what it lacks taken from the repository.
 *
 * @throws ArtifactError for a store that is not known, or that Turnsole cannot reach
 */
export function completed(
  name: string,
  location: Location,
  repository: ArtifactRepository | undefined,
): Location {
  const whole = isComplete(location) ? location : inRepository(name, location, repository);
  const problem = locationProblem(whole);
  if (problem !== undefined) throw new ArtifactError(`artifact ${name}: ${problem}`);
  return whole;
}

/** A location that has a key alone lies in the repository, whatever kind it is written as. */
function inRepository(
  name: string,
  location: Location,
  repository: ArtifactRepository | undefined,
): Location {
  if (repository === undefined)
    throw new ArtifactError(
      `artifact ${name}: its location ${location.kind} does not say which store it is, and there is no artifact repository: complete it, or ` +
        'configure `artifactRepository` or the ConfigMap artifact-repositories in the namespace of the workflow',
    );
  const { store } = repository;
  const key = keyOf(location);
  if (store.kind !== location.kind) return withKey(store, key);
  return withKey({ kind: store.kind, fields: { ...store.fields, ...location.fields } }, key);
}

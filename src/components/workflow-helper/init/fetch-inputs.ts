import { chmod, lstat, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '@turnsole/kube/text/error-message';
import { keyOf, type Location, locationOf } from '@turnsole/workflows/artifacts/location';
import type { Artifact } from '@turnsole/workflows/kinds/parameters';
import type { NodeOrder } from '@turnsole/workflows/pods/helper';
import { archiveOf, unpack } from '../artifacts/archive/unpack.ts';
import { openStore } from '../artifacts/open-store.ts';
import type { HelperContext } from '../context.ts';
import { HelperError } from '../failure.ts';

/**
 * Brings the input artifacts of a node, one after the other.
 *
 * @throws HelperError with artifact, key and store
 */
export async function fetchInputs(
  { artifacts, onVolumes }: NodeOrder,
  context: HelperContext,
): Promise<void> {
  for (const artifact of artifacts.inputs) {
    const { places } = context;
    const isOnVolume = onVolumes.includes(artifact.name);
    const target = isOnVolume ? join(places.main, artifact.path ?? '') : join(places.fetched, artifact.name);
    await fetchArtifact(artifact, target, context);
  }
}

/** Brings one artifact to a path. Leaves out an optional artifact that does not exist. @throws HelperError */
export async function fetchArtifact(
  artifact: Artifact,
  target: string,
  context: HelperContext,
): Promise<void> {
  const { say, signal } = context;
  const { name, optional = false } = artifact;
  const location = locationOf(artifact);
  if (location === undefined) throw new HelperError(`artifact ${name} has no location`);
  const scratch = await scratchFor(target);
  try {
    const store = await openStore(location, context);
    const file = join(scratch, 'fetched');
    if (!(await store.fetch(keyOf(location), file, signal))) {
      if (optional) return say(`artifact ${name} is optional, and not there`);
      throw new HelperError(
        `artifact ${name}: nothing lies at ${keyOf(location)} in ${store.name}; correct the key, or make the artifact optional`,
      );
    }
    const isFolder = (await stat(file)).isDirectory();
    await unpack(file, target, isFolder ? 'none' : archiveOf(artifact), scratch, signal);
    await setMode(artifact, target);
    say(`artifact ${name} is here, from ${keyOf(location)} in ${store.name}`);
  } catch (cause) {
    signal.throwIfAborted();
    throw cause instanceof HelperError ? cause : refused(artifact, location, cause);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function refused({ name }: Artifact, location: Location, cause: unknown): HelperError {
  return new HelperError(
    `artifact ${name} cannot be fetched from ${keyOf(location) || 'its location'} (${location.kind}): ${messageOf(cause)}`,
    { cause },
  );
}

/** On the file system of the target, so that unpacked files are moved in one step. */
async function scratchFor(target: string): Promise<string> {
  const isFolder = (await stat(target).catch(() => undefined))?.isDirectory() === true;
  const parent = isFolder ? target : dirname(target);
  const scratch = join(parent, `.turnsole-${process.pid}`);
  await mkdir(scratch, { recursive: true });
  return scratch;
}

/** `mode` of the template; `recurseMode`: of everything in a folder as well. */
async function setMode({ mode, recurseMode }: Artifact, path: string): Promise<void> {
  if (mode === undefined || mode === null) return;
  const found = await lstat(path);
  // What a link leads to is not of the artifact.
  if (found.isSymbolicLink()) return;
  await chmod(path, mode);
  if (recurseMode !== true || !found.isDirectory()) return;
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), mode);
  }
}

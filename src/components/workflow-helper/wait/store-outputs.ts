import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@turnsole/kube/text/error-message';
import { keyOf, locationOf } from '@turnsole/workflows/artifacts/location';
import type { Placed } from '@turnsole/workflows/artifacts/resolve';
import type { Artifact } from '@turnsole/workflows/kinds/parameters';
import type { LogPlaced } from '@turnsole/workflows/pods/node-artifacts';
import { pack } from '../artifacts/archive/pack.ts';
import { openStore } from '../artifacts/open-store.ts';
import type { HelperContext } from '../context.ts';
import { HelperError } from '../failure.ts';
import { isThere } from '../is-there.ts';

/**
 * Stores what main has left of its output artifacts.
 *
 * @returns those that are stored, as the node's status shows them
 * @throws HelperError with artifact, key and store
 */
export async function storeOutputs(
  outputs: readonly Placed[],
  isRequired: boolean,
  context: HelperContext,
): Promise<Artifact[]> {
  const stored: Artifact[] = [];
  for (const [index, { artifact, target }] of outputs.entries()) {
    const tar = join(context.places.home, 'main', 'artifacts', `${index}.tar`);
    if (!(await isThere(tar))) {
      if (artifact.optional === true || !isRequired) continue;
      throw new HelperError(
        `output artifact ${artifact.name}: main has left nothing at ${artifact.path}: let it write that, or make the artifact optional`,
      );
    }
    await inScratch(context.places.home, (scratch) =>
      put(target, () => pack(artifact, tar, scratch, context.signal), context),
    );
    stored.push(artifact);
  }
  return stored;
}

/** Stores what containers have printed. */
export async function storeLogs(logs: readonly LogPlaced[], context: HelperContext): Promise<Artifact[]> {
  const stored: Artifact[] = [];
  for (const { container, artifact, target } of logs) {
    const file = join(context.places.home, container, 'combined');
    if (!(await isThere(file))) continue;
    await put(target, () => Promise.resolve(file), context);
    stored.push(artifact);
  }
  return stored;
}

async function put(target: Artifact, made: () => Promise<string>, context: HelperContext): Promise<void> {
  const location = locationOf(target);
  if (location === undefined) throw new HelperError(`output artifact ${target.name} has no location`);
  const key = keyOf(location);
  try {
    const store = await openStore(location, context);
    await store.store(await made(), key, NEVER);
    context.say(`output artifact ${target.name} is stored at ${key} in ${store.name}`);
  } catch (cause) {
    throw new HelperError(
      `output artifact ${target.name} cannot be stored at ${key || 'its location'} (${location.kind}): ${messageOf(cause)}`,
      { cause },
    );
  }
}

/** Storing that has begun goes on: only the kubelet's SIGKILL ends it. */
const NEVER = new AbortController().signal;

/** In the folder that the containers share: the helper's own root is read-only. */
async function inScratch<T>(home: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(home, '.out-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Kills processes that use an image store, again and again, and looks at what they leave. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openImageStore } from '@turnsole/cluster/images/open-image-store';
import type { ImageStore } from '@turnsole/cluster/images/types';
import { Seeded } from '../../support/seeded.ts';
import { type CrashRegistry, startCrashRegistry } from './registry.ts';

interface SurviveOptions {
  /** The first seed, and how many. */
  readonly seed: number;
  readonly seeds: number;
  readonly onSeed?: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** A process lives this long at most from when it has the store open, in milliseconds. */
const LONGEST_LIFE_MS = 1_000;
const PROGRAM = join(import.meta.dirname, 'store-process.ts');

/**
 * One seed: two processes use a store; each is killed at a moment that the seed draws. Then everything that has a name in the store must be whole,
 * nothing may be held by the dead, and nothing else may be left.
 *
 * @returns how many images were found whole after a kill, in all
 */
export async function surviveKills({ seed, seeds, onSeed, signal }: SurviveOptions): Promise<number> {
  await using registry = await startCrashRegistry();
  const folder = mkdtempSync(join(tmpdir(), 'turnsole-crash-images-'));
  let whole = 0;
  try {
    for (let current = seed; current < seed + seeds; current += 1) {
      signal?.throwIfAborted();
      const directory = join(folder, 'store');
      const found = await oneSeed(directory, current, registry).catch((error: unknown) => {
        throw new Error(`seed ${current} (npm run test:crash:images -- --seed ${current} --seeds 1)`, {
          cause: error,
        });
      });
      whole += found;
      onSeed?.(`seed ${current}: ${found} images whole`);
      // Most seeds go on with what the one before has left, some begin anew.
      if (current % 5 === 0) rmSync(directory, { recursive: true, force: true });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return whole;
}

async function oneSeed(directory: string, seed: number, registry: CrashRegistry): Promise<number> {
  const random = new Seeded(seed);
  await Promise.all(
    [0, 1].map((index) => liveAndDie(directory, seed * 2 + index, random.next() * LONGEST_LIFE_MS, registry)),
  );
  const store = await openImageStore({ directory, platform: { os: 'linux', architecture: 'amd64' } });
  try {
    return await audit(store, registry, random.chance(0.3));
  } finally {
    await store.close();
    assert.deepEqual(readdirSync(join(directory, 'owners')), [], 'no process is said to use the store');
  }
}

async function liveAndDie(
  directory: string,
  seed: number,
  lifeMs: number,
  { names }: CrashRegistry,
): Promise<void> {
  const args = ['--disable-warning=ExperimentalWarning', PROGRAM, directory, String(seed), ...names];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = once(child, 'exit');
  await Promise.race([once(child.stdout ?? child, 'data'), ended]);
  await Promise.race([delay(lifeMs), ended]);
  child.kill('SIGKILL');
  await ended;
  assert.equal(child.signalCode, 'SIGKILL', `it ended by itself: ${said}`);
}

async function audit(store: ImageStore, registry: CrashRegistry, empties: boolean): Promise<number> {
  const { directory } = store;
  const blobs = join(directory, 'blobs/sha256');
  for (const name of readdirSync(blobs)) {
    const digest = createHash('sha256')
      .update(readFileSync(join(blobs, name)))
      .digest('hex');
    assert.equal(digest, name, 'what has a name in the store is whole');
  }
  const ingest = readdirSync(join(directory, 'ingest'));
  assert.deepEqual(
    ingest.filter((name) => !name.endsWith('.part')),
    [],
    'nothing half-unpacked is left',
  );
  const images = await store.list();
  for (const image of images) {
    await using lease = await store.lease(image);
    assert.deepEqual(
      seenIn(lease.layers),
      registry.contentOf(image.reference),
      `${image.reference} is unpacked whole`,
    );
  }
  // Leases of the dead keep nothing.
  const { inUse } = await store.prune(empties ? { maxBytes: 0 } : {});
  assert.deepEqual(inUse, []);
  for (const name of ['ingest', 'trash'])
    assert.deepEqual(readdirSync(join(directory, name)), [], `${name} is empty`);
  if (empties) {
    assert.deepEqual([readdirSync(blobs), layersOf(directory)], [[], []], 'an empty store has nothing');
    // What was broken off comes whole the next time.
    const image = await store.pull(registry.names[2] ?? '', { unpack: true });
    await using lease = await store.lease(image);
    assert.deepEqual(seenIn(lease.layers), registry.contentOf(image.reference));
  }
  return images.length;
}

function layersOf(directory: string): string[] {
  const layers = join(directory, 'layers');
  return readdirSync(layers).flatMap((ids) =>
    readdirSync(join(layers, ids)).filter((name) => name.length === 64),
  );
}

/** Files that an overlay of the layers shows, path to content: as the kernel would, a whiteout hides what is below it. */
function seenIn(layers: readonly string[]): Map<string, string> {
  const seen = new Map<string, string>();
  for (const layer of layers) {
    for (const entry of readdirSync(layer, { recursive: true, withFileTypes: true })) {
      const at = join(entry.parentPath, entry.name);
      const path = at.slice(layer.length + 1);
      if (lstatSync(at).isCharacterDevice()) {
        for (const known of seen.keys())
          if (known === path || known.startsWith(`${path}/`)) seen.delete(known);
      } else if (entry.isFile()) seen.set(path, readFileSync(at, 'utf8'));
    }
  }
  return seen;
}

/** Removes what nothing needs any more: images without a name, content without an image, what was broken off. */
import { lstatSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Blobs, workOnBlob } from './blobs.ts';
import type { StoreDatabase } from './database.ts';
import type { Holds } from './holds.ts';
import type { ImageIndex, ImageRecord } from './images.ts';
import type { Owners } from './owners.ts';
import { planPrune } from './plan-prune.ts';
import type { Trash } from './trash.ts';
import { ownerOfUnpack } from './trees.ts';

interface GarbageOptions {
  readonly directory: string;
  readonly database: StoreDatabase;
  readonly owners: Owners;
  readonly holds: Holds;
  readonly blobs: Blobs;
  readonly index: ImageIndex;
  readonly trash: Trash;
  readonly now: () => number;
}

/** A download that was broken off is gone on with when its image is pulled again; nobody does so after this. */
const OLD_PART_MS = 24 * 3_600_000;

interface Collected {
  readonly references: readonly string[];
  readonly freedBytes: number;
}

export class Garbage {
  readonly #options: GarbageOptions;

  constructor(options: GarbageOptions) {
    this.#options = options;
  }

  /** Bytes of all content: blobs and unpacked layers. */
  bytes(): number {
    return [...this.#sizes().values()].reduce((sum, size) => sum + size, 0);
  }

  /** Removes what processes have left that have ended, unless it may be gone on with. */
  sweep(): void {
    const { database, holds } = this.#options;
    database.write(() => {
      holds.dropDead();
      this.#takeUnpacks();
      this.#takeParts(OLD_PART_MS);
    });
  }

  /**
   * Removes what nothing needs; before that, with `maxBytes`, images until the rest has no more than that. What it frees is deleted by the
   * trash.
   *
   * @param parts whether downloads that were broken off go as well
   */
  collect({
    maxBytes,
    parts = false,
  }: {
    readonly maxBytes?: number;
    readonly parts?: boolean;
  } = {}): Collected {
    const { database, holds, index } = this.#options;
    // In a transaction of its own: a process that dies between the two leaves files that nothing needs, and no names without files.
    const references = database.write(() => {
      holds.dropDead();
      const held = holds.held('image');
      const unnamed = index
        .all()
        .filter(({ record }) => !held.has(record.digest) && index.namesOf(record.digest).length === 0);
      for (const { record } of unnamed) index.remove(record.digest);
      if (maxBytes === undefined) return [];
      const removed = planPrune(this.#prunable(held), this.#sizes(), maxBytes);
      return removed.flatMap((digest) => {
        const names = index.namesOf(digest);
        index.remove(digest);
        return names;
      });
    });
    const freedBytes = database.write(() => {
      holds.dropDead();
      this.#takeUnpacks();
      return this.#takeContent() + (parts ? this.#takeParts(0) : 0);
    });
    return { references, freedBytes };
  }

  #prunable(held: ReadonlySet<string>): Parameters<typeof planPrune>[0] {
    const trees = this.#trees();
    return this.#options.index.all().map(({ record, usedAt }) => {
      const chains = new Set(record.layers.map(({ chainId }) => chainId));
      const unpacked = trees.filter(({ chain }) => chains.has(chain)).map(({ path }) => path);
      const isHeld = held.has(record.digest);
      return { digest: record.digest, usedAt, isHeld, parts: [...blobsOf(record), ...unpacked] };
    });
  }

  /** Bytes of blobs by digest, and of unpacked layers by path. */
  #sizes(): Map<string, number> {
    const sizes = this.#options.blobs.all();
    for (const { path, bytes } of this.#trees()) sizes.set(path, bytes);
    return sizes;
  }

  #takeContent(): number {
    const { database, holds, blobs, index, trash } = this.#options;
    const records = index.all().map(({ record }) => record);
    const neededBlobs = new Set([...records.flatMap(blobsOf), ...holds.held('blob')]);
    const neededChains = new Set([
      ...records.flatMap(({ layers }) => layers.map(({ chainId }) => chainId)),
      ...holds.held('tree'),
    ]);
    let freed = 0;
    for (const [digest, bytes] of blobs.all()) {
      if (neededBlobs.has(digest)) continue;
      trash.take(blobs.path(digest));
      freed += bytes;
    }
    const known = this.#trees();
    for (const { ids, chain, path, bytes } of known) {
      if (neededChains.has(chain)) continue;
      database.run('DELETE FROM tree WHERE ids = ? AND chain = ?', ids, chain);
      trash.take(path);
      freed += bytes;
    }
    // Folders without a row: a process was killed between giving the name and saying so.
    const paths = new Set(known.map(({ path }) => path));
    for (const folder of this.#layerFolders()) if (!paths.has(folder)) trash.take(folder);
    return freed;
  }

  /** Folders that processes which have ended were unpacking into. */
  #takeUnpacks(): void {
    const { directory, owners, trash } = this.#options;
    const ingest = join(directory, 'ingest');
    for (const name of readdirSync(ingest)) {
      const owner = ownerOfUnpack(name);
      if (owner !== undefined && !owners.isAlive(owner)) trash.take(join(ingest, name));
    }
  }

  #takeParts(olderThanMs: number): number {
    const { blobs, holds, trash, now } = this.#options;
    const wanted = holds.held('work');
    let freed = 0;
    for (const [digest, path] of blobs.parts()) {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats === undefined || wanted.has(workOnBlob(digest)) || now() - stats.mtimeMs < olderThanMs)
        continue;
      trash.take(path);
      freed += stats.size;
    }
    return freed;
  }

  #trees(): { ids: string; chain: string; path: string; bytes: number }[] {
    const { database, directory } = this.#options;
    return database.all('SELECT ids, chain, bytes FROM tree').map((row) => {
      const [ids, chain] = [String(row['ids']), String(row['chain'])];
      return {
        ids,
        chain,
        path: join(directory, 'layers', ids, chain.replace('sha256:', '')),
        bytes: Number(row['bytes']),
      };
    });
  }

  #layerFolders(): string[] {
    const layers = join(this.#options.directory, 'layers');
    return readdirSync(layers).flatMap((ids) =>
      readdirSync(join(layers, ids))
        .filter((name) => /^[\da-f]{64}$/.test(basename(name)))
        .map((name) => join(layers, ids, name)),
    );
  }
}

function blobsOf({ digest, config, layers }: ImageRecord): string[] {
  return [digest, config.digest, ...layers.map(({ blob }) => blob.digest)];
}

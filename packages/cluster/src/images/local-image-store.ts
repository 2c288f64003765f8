/** The store on this machine's disk. */

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Clock, Random } from '@turnsole/kube/base/clock';
import { openArchive } from './archive/archive-files.ts';
import { readArchive } from './archive/read-archive.ts';
import { userCredentials } from './credentials/user-credentials.ts';
import { ImageError } from './errors.ts';
import { imageNameText, parseImageName } from './reference/image-name.ts';
import { readRegistrySettings } from './registry/endpoints.ts';
import type { HttpSender } from './registry/http.ts';
import { pullSource } from './registry/pull-source.ts';
import type { Garbage } from './store/garbage.ts';
import type { Owners } from './store/owners.ts';
import { Progress } from './store/progress.ts';
import { type ImageSource, type TakeParts, takeImage } from './store/take-image.ts';
import type { Trash } from './store/trash.ts';
import type {
  ImageLease,
  ImageProgress,
  ImageStore,
  LoadOptions,
  Platform,
  PullOptions,
  RemovedImages,
  StoredImage,
} from './types.ts';

interface StoreParts extends TakeParts {
  readonly directory: string;
  readonly platform: Platform;
  readonly owners: Owners;
  readonly garbage: Garbage;
  readonly trash: Trash;
  readonly maxBytes: number;
  readonly env: NodeJS.ProcessEnv;
  readonly sender: HttpSender;
  readonly clock: Clock;
  readonly random: Random;
  readonly onNote: (sentence: string) => void;
  /** Whether pulled and loaded images are unpacked unless something else is asked for. */
  readonly unpacks: boolean;
}

interface WorkOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: ImageProgress) => void) | undefined;
}

export class LocalImageStore implements ImageStore {
  readonly directory: string;
  readonly platform: Platform;
  readonly #parts: StoreParts;
  readonly #closing = new AbortController();
  /** What is being done. */
  readonly #running = new Set<Promise<unknown>>();
  readonly #leases = new Set<ImageLease>();

  constructor(parts: StoreParts) {
    this.directory = parts.directory;
    this.platform = parts.platform;
    this.#parts = parts;
  }

  find(reference: string, platform: Platform = this.platform): Promise<StoredImage | undefined> {
    return this.#do({}, async () => {
      const { index } = this.#parts;
      const name = parseImageName(reference);
      const found = index.find(imageNameText(name), platform);
      if (found !== undefined || name.digest === undefined) return found;
      return index.findByDigest(name.digest, (other) => {
        const { registry, repository } = parseImageName(other);
        return registry === name.registry && repository === name.repository;
      });
    });
  }

  pull(reference: string, options: PullOptions = {}): Promise<StoredImage> {
    return this.#do(options, async (signal) => {
      const { env, sender, clock, random, onNote } = this.#parts;
      const name = parseImageName(reference);
      const text = imageNameText(name);
      const platform = options.platform ?? this.platform;
      options.onProgress?.({ step: 'resolve', doneBytes: 0, totalBytes: 0, doneLayers: 0, totalLayers: 0 });
      const source = await pullSource({
        ...{ name, platform, sender, clock, random, onNote, signal },
        settings: readRegistrySettings(env),
        credentials: [...(options.credentials ?? []), userCredentials(env)],
        known: this.#wholeTarget(text, platform),
      });
      if (source !== 'same') return await this.#take(source, options, signal);
      return await this.#again(text, platform, options, signal);
    });
  }

  load(path: string, options: LoadOptions = {}): Promise<readonly StoredImage[]> {
    return this.#do(options, async (signal) => {
      const { database, owners, directory, trash } = this.#parts;
      const scratch = join(
        directory,
        'ingest',
        `unpack-${database.write(() => owners.own())}-${randomUUID()}`,
      );
      try {
        const files = await openArchive(path, () => scratch);
        const platform = options.platform ?? this.platform;
        const sources = await readArchive(files, { path, platform, name: options.name });
        const images: StoredImage[] = [];
        for (const source of sources) images.push(await this.#take(source, options, signal));
        return images;
      } finally {
        trash.take(scratch);
        await trash.empty();
      }
    });
  }

  list(): Promise<readonly StoredImage[]> {
    return this.#do({}, async () => this.#parts.index.list());
  }

  lease(image: StoredImage, options: WorkOptions = {}): Promise<ImageLease> {
    return this.#do(options, (signal) => this.#lease(image, { ...options, signal }, true));
  }

  remove(references: readonly string[]): Promise<RemovedImages> {
    return this.#do({}, async () => {
      const { database, index, holds, garbage, trash } = this.#parts;
      const names = references.map((reference) => imageNameText(parseImageName(reference)));
      const [removed, inUse]: [string[], string[]] = [[], []];
      database.write(() => {
        holds.dropDead();
        const held = holds.held('image');
        for (const name of names) {
          const digests = index.digestsOf(name);
          if (digests.length === 0) throw unknownImage(name);
          const isNeeded = digests.some((digest) => held.has(digest) && index.namesOf(digest).length === 1);
          if (!isNeeded) index.removeName(name);
          (isNeeded ? inUse : removed).push(name);
        }
      });
      const { freedBytes } = garbage.collect();
      await trash.empty();
      return { references: removed, inUse, freedBytes };
    });
  }

  prune({ maxBytes }: { readonly maxBytes?: number | undefined } = {}): Promise<RemovedImages> {
    return this.#do({}, async () => {
      const { garbage, trash, holds, index } = this.#parts;
      const { references, freedBytes } = garbage.collect({
        parts: true,
        ...(maxBytes !== undefined && { maxBytes }),
      });
      await trash.empty();
      const isOver = maxBytes !== undefined && garbage.bytes() > maxBytes;
      const inUse = isOver ? [...holds.held('image')].flatMap((digest) => index.namesOf(digest)) : [];
      return { references, inUse, freedBytes };
    });
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new ImageError('aborted', 'the image store was closed'));
    await Promise.allSettled(this.#running);
    for (const lease of this.#leases) await lease.release();
    const { database, owners, trash, sender } = this.#parts;
    sender.close();
    await trash.empty();
    database.write(() => {
      database.run('DELETE FROM hold WHERE owner = ?', owners.own());
      owners.release();
    });
    database.close();
  }

  async #take(
    source: ImageSource,
    options: LoadOptions | PullOptions,
    signal: AbortSignal,
  ): Promise<StoredImage> {
    const { index, garbage, trash, maxBytes, unpacks } = this.#parts;
    const progress = new Progress(options.onProgress);
    const release = await takeImage(source, this.#parts, {
      unpack: options.unpack ?? unpacks,
      progress,
      signal,
    });
    try {
      // Held until now, as it may be larger than all that may be there.
      if (garbage.bytes() > maxBytes) garbage.collect({ maxBytes });
      void trash.empty();
      const stored = index.find(source.name, source.platform);
      if (stored === undefined) throw unknownImage(source.name);
      return stored;
    } finally {
      release();
    }
  }

  async #lease(
    image: StoredImage,
    { signal, onProgress }: WorkOptions,
    unpack: boolean,
  ): Promise<ImageLease> {
    const { database, index, holds, trees } = this.#parts;
    const { record, release } = database.write(() => {
      const found = index.record(image.digest);
      if (found === undefined) throw unknownImage(image.reference);
      index.touch(image.digest);
      return { record: found, release: holds.hold('image', image.digest) };
    });
    try {
      if (!unpack) return this.#leaseOf(image, [], release);
      const totalBytes = record.layers.reduce((sum, { blob }) => sum + blob.size, 0);
      const step = new Progress(onProgress).begin('unpack', {
        totalBytes,
        totalLayers: record.layers.length,
      });
      const tell = (bytes: number, layers: number): void => step.set(bytes, layers);
      const unpacked = await trees.unpack(record.layers, { name: image.reference, signal, onProgress: tell });
      return this.#leaseOf(image, unpacked, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  #leaseOf(
    image: StoredImage,
    trees: readonly { folder: string; notes: readonly string[] }[],
    give: () => void,
  ): ImageLease {
    const release = async (): Promise<void> => {
      this.#leases.delete(lease);
      give();
    };
    const lease: ImageLease = {
      image,
      layers: trees.map(({ folder }) => folder),
      notes: [...new Set(trees.flatMap(({ notes }) => notes))],
      release,
      [Symbol.asyncDispose]: release,
    };
    this.#leases.add(lease);
    return lease;
  }

  /** The digest that a name stood for when all of its image came; undefined when something of that is missing. */
  #wholeTarget(name: string, platform: Platform): string | undefined {
    const { index, blobs } = this.#parts;
    const stored = index.find(name, platform);
    const record = stored && index.record(stored.digest);
    const isWhole = record?.layers.every(({ blob }) => blobs.has(blob.digest)) === true;
    return isWhole ? index.targetOf(name, platform) : undefined;
  }

  /** An image that the store has, and that its registry still means. */
  async #again(
    name: string,
    platform: Platform,
    options: PullOptions,
    signal: AbortSignal,
  ): Promise<StoredImage> {
    const { index, unpacks } = this.#parts;
    const image = index.find(name, platform);
    if (image === undefined) throw unknownImage(name);
    await using _ = await this.#lease(image, { ...options, signal }, options.unpack ?? unpacks);
    return index.find(name, platform) ?? image;
  }

  /** Does something that the end of the store, and the caller's signal, break off. */
  async #do<T>(options: WorkOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signals = [this.#closing.signal, ...(options.signal === undefined ? [] : [options.signal])];
    const signal = AbortSignal.any(signals);
    const running = (async () => {
      signal.throwIfAborted();
      return await work(signal);
    })();
    this.#running.add(running);
    try {
      return await running;
    } catch (error) {
      throw asImageError(error, signal);
    } finally {
      this.#running.delete(running);
    }
  }
}

/** Errors of the machine, and ends by the caller, as the contract has them. */
function asImageError(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof ImageError) return error;
  if (signal.aborted) return new ImageError('aborted', 'it was broken off', { cause: error });
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new ImageError('no-space', `the disk of the image store is full: ${message}`, { cause: error });
  return new ImageError('store', `the image store failed: ${message}`, { cause: error });
}

function unknownImage(name: string): ImageError {
  return new ImageError('not-found', `there is no image ${name} in the store`);
}

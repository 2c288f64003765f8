/** Takes an image into the store: its documents, its layers, several at a time, and unpacks each as soon as it is there. */
import { Limiter } from '@turnsole/kube/base/limiter';
import { ImageError } from '../errors.ts';
import type { Descriptor } from '../manifest/descriptor.ts';
import { chainIds, type ImageDocument, parseImageConfig } from '../manifest/image-config.ts';
import { noPlatform } from '../manifest/manifest.ts';
import { platformFit } from '../reference/platform.ts';
import type { Platform } from '../types.ts';
import type { BlobSource, Blobs } from './blobs.ts';
import type { StoreDatabase } from './database.ts';
import type { Holds } from './holds.ts';
import type { ImageIndex, ImageLayer, ImageRecord } from './images.ts';
import type { Progress } from './progress.ts';
import type { Trees } from './trees.ts';

/** As many layers are brought at a time: more do not fill a line better, and registries count requests. */
const AT_ONCE = 4;

/** An image where it comes from. */
export interface ImageSource {
  /** Its whole name. */
  readonly name: string;
  /** The platform that was asked for. */
  readonly platform: Platform;
  /** Digest of what the name stands for there: an index, or the image itself. */
  readonly target: string;
  readonly manifest: Descriptor;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
  /** Gives the content of one of these. */
  content(descriptor: Descriptor): BlobSource;
}

export interface TakeParts {
  readonly database: StoreDatabase;
  readonly holds: Holds;
  readonly blobs: Blobs;
  readonly index: ImageIndex;
  readonly trees: Trees;
}

interface TakeOptions {
  readonly unpack: boolean;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/**
 * Takes it in, or what is missing of it. Nothing of the image is in the index until all of it is there, and unpacked if that is asked for.
 *
 * @returns gives up what keeps it from being removed
 * @throws ImageError
 */
export async function takeImage(
  source: ImageSource,
  parts: TakeParts,
  options: TakeOptions,
): Promise<() => void> {
  const { database, holds, blobs, index } = parts;
  const { name, manifest, config, target, platform } = source;
  const all = [manifest, config, ...source.layers];
  const releases = database.write(() => all.map(({ digest }) => holds.hold('blob', digest)));
  try {
    await blobs.add(manifest, source.content(manifest), {
      label: `the manifest of ${name}`,
      signal: options.signal,
    });
    await blobs.add(config, source.content(config), {
      label: `the configuration of ${name}`,
      signal: options.signal,
    });
    const document = parseImageConfig(await blobs.read(config.digest), `the configuration of ${name}`);
    const record = recordOf(source, document);
    releases.push(...database.write(() => record.layers.map(({ chainId }) => holds.hold('tree', chainId))));
    await takeLayers(source, record, parts, options);
    return database.write(() => {
      const missing = all.find(({ digest }) => !blobs.has(digest));
      if (missing !== undefined) {
        throw new ImageError(
          'store',
          `${missing.digest} of ${name} was removed while the image came; pull it again`,
        );
      }
      index.put(record, name, platform, target);
      return holds.hold('image', record.digest);
    });
  } finally {
    for (const release of releases) release();
  }
}

/** @throws ImageError when the configuration does not fit the manifest, or the platform */
function recordOf(
  { name, platform, manifest, config, layers }: ImageSource,
  document: ImageDocument,
): ImageRecord {
  const { diffIds, created, config: container } = document;
  if (platformFit(platform, document.platform) === 0) throw noPlatform(name, platform, [document.platform]);
  if (diffIds.length !== layers.length) {
    throw new ImageError(
      'wrong-content',
      `the manifest of ${name} has ${layers.length} layers, its configuration ${diffIds.length}; build the image again`,
    );
  }
  const chain = chainIds(diffIds);
  return {
    digest: manifest.digest,
    manifestSize: manifest.size,
    config: { mediaType: config.mediaType, digest: config.digest, size: config.size },
    platform: document.platform,
    created,
    container,
    layers: layers.map(({ mediaType, digest, size }, position): ImageLayer => {
      const [diffId = '', chainId = ''] = [diffIds[position], chain[position]];
      return { blob: { mediaType, digest, size }, diffId, chainId };
    }),
  };
}

async function takeLayers(
  source: ImageSource,
  { layers }: ImageRecord,
  { blobs, trees }: TakeParts,
  { unpack, progress, signal }: TakeOptions,
): Promise<void> {
  const { name } = source;
  // One that fails ends the others.
  const failure = new AbortController();
  const both = AbortSignal.any([signal, failure.signal]);
  const limiter = new Limiter(AT_ONCE);
  const totals = {
    totalBytes: layers.reduce((sum, { blob }) => sum + blob.size, 0),
    totalLayers: layers.length,
  };
  const downloads = progress.begin('download', totals);
  const arrivals = new Map<string, Promise<void>>();
  for (const { blob } of layers) {
    if (arrivals.has(blob.digest)) continue;
    const label = `layer ${blob.digest} of ${name}`;
    const arrival = limiter.run(async () => {
      await blobs.add(blob, source.content(blob), {
        label,
        signal: both,
        onBytes: (bytes) => downloads.add(bytes, 0),
      });
      downloads.add(0, 1);
    });
    arrival.catch((error: unknown) => failure.abort(error));
    arrivals.set(blob.digest, arrival);
  }
  const unpacks = unpack ? progress.begin('unpack', totals) : undefined;
  const unpacking =
    unpacks &&
    trees.unpack(layers, {
      name,
      signal: both,
      onProgress: (bytes, done) => unpacks.set(bytes, done),
      whenThere: async ({ blob }) => await arrivals.get(blob.digest),
    });
  unpacking?.catch((error: unknown) => failure.abort(error));
  await Promise.allSettled([...arrivals.values(), unpacking]);
  signal.throwIfAborted();
  // The first failure, of which those of the others follow.
  failure.signal.throwIfAborted();
}

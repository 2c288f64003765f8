/** Finds an image at its registry, or at a mirror, and gives what the store takes it from. */
import { createHash } from 'node:crypto';
import type { Clock, Random } from '@turnsole/kube/base/clock';
import { ImageError } from '../errors.ts';
import type { Descriptor } from '../manifest/descriptor.ts';
import { chooseManifest, type Manifest, parseManifest } from '../manifest/manifest.ts';
import { type ImageName, imageNameText } from '../reference/image-name.ts';
import type { ImageSource } from '../store/take-image.ts';
import type { CredentialSource, Platform, RegistryCredentials } from '../types.ts';
import { endpointsOf, type RegistrySettings } from './endpoints.ts';
import type { HttpSender } from './http.ts';
import { RepositoryClient } from './repository-client.ts';

interface PullSourceOptions {
  readonly name: ImageName;
  readonly platform: Platform;
  readonly settings: RegistrySettings;
  readonly sender: HttpSender;
  readonly credentials: readonly CredentialSource[];
  readonly clock: Clock;
  readonly random: Random;
  readonly onNote: (sentence: string) => void;
  readonly signal: AbortSignal;
  /** The digest that the store has for this name; an image of the same is not fetched. */
  readonly known: string | undefined;
}

/**
 * Asks the mirrors of the registry first, then the registry itself.
 *
 * @returns `same` when the name still stands for what the store has
 * @throws ImageError of the registry itself
 */
export async function pullSource(options: PullSourceOptions): Promise<ImageSource | 'same'> {
  const { name, settings, signal, onNote } = options;
  const endpoints = endpointsOf(name.registry, settings);
  for (const endpoint of endpoints) {
    const client = new RepositoryClient({
      ...{ endpoint, registry: name.registry, repository: name.repository, sender: options.sender },
      ...{ clock: options.clock, random: options.random, onNote },
      credentials: () => credentialsFor(options, endpoint.isMirror ? endpoint.host : name.registry),
    });
    try {
      return await sourceOf(client, options);
    } catch (error) {
      if (!endpoint.isMirror || signal.aborted) throw error;
      onNote(`${(error as Error).message}; the next address of ${name.registry} is asked`);
    }
  }
  throw new ImageError('unavailable', `${name.registry} has no address to ask`);
}

async function credentialsFor(
  { credentials, name }: PullSourceOptions,
  host: string,
): Promise<RegistryCredentials[]> {
  const found: RegistryCredentials[] = [];
  for (const source of credentials) {
    const one = await source(host, name.repository);
    if (one !== undefined) found.push(one);
  }
  return found;
}

async function sourceOf(client: RepositoryClient, options: PullSourceOptions): Promise<ImageSource | 'same'> {
  const { name, platform, signal, known } = options;
  const text = imageNameText(name);
  const reference = name.digest ?? name.tag ?? 'latest';
  if (known !== undefined && (await client.digestOf(reference, text, signal)) === known) return 'same';
  const top = await document(client, reference, text, name.digest, signal);
  let { descriptor, manifest, bytes } = top;
  if (manifest.kind === 'index') {
    const chosen = chooseManifest(manifest.manifests, platform, text);
    ({ descriptor, manifest, bytes } = await document(client, chosen.digest, text, chosen.digest, signal));
  }
  if (manifest.kind === 'index') {
    throw new ImageError('unsupported', `the image of ${text} for this platform is an index within an index`);
  }
  const manifestBytes = bytes;
  return {
    ...{
      name: text,
      platform,
      target: top.descriptor.digest,
      manifest: descriptor,
      config: manifest.config,
      layers: manifest.layers,
    },
    content: (wanted) => (offset) =>
      wanted.digest === descriptor.digest
        ? rest(manifestBytes, offset)
        : client.blob(wanted, offset, `${text} (${wanted.digest})`, signal),
  };
}

interface FoundDocument {
  readonly descriptor: Descriptor;
  readonly manifest: Manifest;
  readonly bytes: Buffer;
}

/** @param digest what it has to have; undefined for a tag, whose digest is that of what comes */
async function document(
  client: RepositoryClient,
  reference: string,
  text: string,
  digest: string | undefined,
  signal: AbortSignal,
): Promise<FoundDocument> {
  const { bytes, mediaType } = await client.manifest(reference, text, signal);
  const found = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  if (digest !== undefined && digest !== found) {
    throw new ImageError(
      'wrong-content',
      `the manifest ${digest} of ${text} is not what its digest says: what came is ${found}`,
    );
  }
  const manifest = parseManifest(bytes, `the manifest of ${text}`);
  return { descriptor: { mediaType, digest: found, size: bytes.length }, manifest, bytes };
}

async function* rest(bytes: Buffer, offset: number): AsyncGenerator<Buffer, void, undefined> {
  yield bytes.subarray(offset);
}

/** The images of an archive: an OCI layout, or what `docker save` writes, which since Docker 25 is both. */
import { createHash } from 'node:crypto';
import { isObject, parseJson } from '@turnsole/kube/text/json';
import { ImageError } from '../errors.ts';
import { type Descriptor, malformed, readDescriptors, readDocument } from '../manifest/descriptor.ts';
import { parseImageConfig } from '../manifest/image-config.ts';
import { chooseManifest, OCI_CONFIG, OCI_LAYER, OCI_MANIFEST, parseManifest } from '../manifest/manifest.ts';
import { imageNameText, parseImageName } from '../reference/image-name.ts';
import type { ImageSource } from '../store/take-image.ts';
import type { Platform } from '../types.ts';
import type { ArchiveFiles } from './archive-files.ts';

interface ReadOptions {
  /** The archive in messages. */
  readonly path: string;
  readonly platform: Platform;
  /** For an image without a name. */
  readonly name: string | undefined;
}

const INDEX = 'index.json';
const DOCKER_INDEX = 'manifest.json';
/** Annotations that name an image: of containerd and Docker the whole name, of OCI a name or a tag alone. */
const WHOLE_NAME = 'io.containerd.image.name';
const REF_NAME = 'org.opencontainers.image.ref.name';

/** @throws ImageError for an archive that is none, has images for other platforms only, or without a name */
export async function readArchive(files: ArchiveFiles, options: ReadOptions): Promise<ImageSource[]> {
  const sources = files.has(INDEX)
    ? await readLayout(files, options)
    : files.has(DOCKER_INDEX)
      ? await readDockerArchive(files, options)
      : undefined;
  if (sources === undefined) {
    throw new ImageError(
      'wrong-content',
      `${options.path} has no images: expected an OCI layout (${INDEX}) or what "docker save" writes (${DOCKER_INDEX})`,
    );
  }
  if (sources.length === 0)
    throw new ImageError('wrong-content', `${options.path} has no images: its index is empty`);
  return sources;
}

async function readLayout(
  files: ArchiveFiles,
  { path, platform, name }: ReadOptions,
): Promise<ImageSource[]> {
  const what = `${INDEX} of ${path}`;
  const listed = readDescriptors(readDocument(await files.read(INDEX), what)['manifests'], what, 'manifests');
  const dockerNames = await readDockerNames(files, path);
  const sources: ImageSource[] = [];
  // Images of one name for several platforms may stand side by side, without an index of their own.
  for (const group of groupsOf(listed)) {
    const first = group.length === 1 ? group[0] : chooseManifest(group, platform, `the image of ${path}`);
    if (first === undefined) continue;
    let manifest = first;
    let parsed = parseManifest(await files.read(blobPath(manifest.digest)), `${manifest.digest} in ${path}`);
    if (parsed.kind === 'index') {
      manifest = chooseManifest(parsed.manifests, platform, `the image of ${path}`);
      parsed = parseManifest(await files.read(blobPath(manifest.digest)), `${manifest.digest} in ${path}`);
    }
    if (parsed.kind === 'index')
      throw malformed(`${manifest.digest} in ${path}`, 'it is an index within an index');
    const { config, layers } = parsed;
    const names =
      nameOf(first) === undefined ? (dockerNames.get(config.digest) ?? []) : [nameOf(first) ?? ''];
    for (const found of namesOr(names, name, path)) {
      sources.push({
        ...{ name: found, platform, target: first.digest, manifest, config, layers },
        content:
          ({ digest }) =>
          (offset) =>
            files.stream(blobPath(digest), offset),
      });
    }
  }
  return oneNamed(sources, name, path);
}

/** Descriptors of one name together; those without a name each alone. */
function groupsOf(listed: readonly Descriptor[]): Descriptor[][] {
  const groups = new Map<string, Descriptor[]>();
  for (const one of listed) {
    const key = nameOf(one) ?? one.digest;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}

/** A name that is more than a tag. */
function nameOf({ annotations }: Descriptor): string | undefined {
  const ref = annotations?.[REF_NAME];
  return annotations?.[WHOLE_NAME] ?? (ref !== undefined && /[/:]/.test(ref) ? ref : undefined);
}

/** Names by digests of configurations, where Docker has written its own index as well. */
async function readDockerNames(files: ArchiveFiles, path: string): Promise<Map<string, readonly string[]>> {
  if (!files.has(DOCKER_INDEX)) return new Map();
  const entries = await readDockerIndex(files, path);
  return new Map(
    entries.map(({ config, names }) => [`sha256:${/[\da-f]{64}/.exec(config)?.[0] ?? ''}`, names]),
  );
}

interface DockerEntry {
  readonly config: string;
  readonly names: readonly string[];
  readonly layers: readonly string[];
}

async function readDockerIndex(files: ArchiveFiles, path: string): Promise<DockerEntry[]> {
  const what = `${DOCKER_INDEX} of ${path}`;
  const list = parseJson((await files.read(DOCKER_INDEX)).toString());
  if (!Array.isArray(list)) throw malformed(what, 'it is no list');
  return list.map((entry: unknown, position) => {
    if (!isObject(entry)) throw malformed(what, `[${position}] is no object`);
    const { Config: config, RepoTags: names = [], Layers: layers } = entry;
    if (typeof config !== 'string' || !isTexts(layers) || !(names === null || isTexts(names))) {
      throw malformed(what, `[${position}] needs Config, RepoTags and Layers`);
    }
    return { config, names: names ?? [], layers };
  });
}

async function readDockerArchive(
  files: ArchiveFiles,
  { path, platform, name }: ReadOptions,
): Promise<ImageSource[]> {
  const sources: ImageSource[] = [];
  for (const entry of await readDockerIndex(files, path)) {
    const configBytes = await files.read(entry.config);
    const config = { mediaType: OCI_CONFIG, digest: digestOf(configBytes), size: configBytes.length };
    const { diffIds } = parseImageConfig(configBytes, `${entry.config} in ${path}`);
    // Such an archive has tars and no manifest: their digests are those of the configuration, and a manifest follows from both.
    const layers = entry.layers.map((file, position): Descriptor => {
      const size = files.size(file);
      if (size === undefined)
        throw new ImageError('wrong-content', `${path} has no ${file}, which it names itself`);
      return { mediaType: OCI_LAYER, digest: diffIds[position] ?? '', size };
    });
    const manifestBytes = Buffer.from(
      JSON.stringify({ schemaVersion: 2, mediaType: OCI_MANIFEST, config, layers }),
    );
    const manifest = { mediaType: OCI_MANIFEST, digest: digestOf(manifestBytes), size: manifestBytes.length };
    const places = new Map(layers.map(({ digest }, position) => [digest, entry.layers[position] ?? '']));
    for (const found of namesOr(entry.names, name, path)) {
      sources.push({
        ...{ name: found, platform, target: manifest.digest, manifest, config, layers },
        content:
          ({ digest }) =>
          (offset) => {
            if (digest === manifest.digest) return piece(manifestBytes, offset);
            if (digest === config.digest) return piece(configBytes, offset);
            return files.stream(places.get(digest) ?? '', offset);
          },
      });
    }
  }
  return oneNamed(sources, name, path);
}

/** Whole names: that of the caller, or those of the archive. @throws ImageError when there is none */
function namesOr(names: readonly string[], name: string | undefined, path: string): string[] {
  const given = name === undefined ? names : [name];
  if (given.length === 0) {
    throw new ImageError('invalid-reference', `an image of ${path} has no name; give it one with --name`);
  }
  return given.map((one) => imageNameText(parseImageName(one)));
}

/** @throws ImageError when the caller's name would be that of several images */
function oneNamed(sources: ImageSource[], name: string | undefined, path: string): ImageSource[] {
  const digests = new Set(sources.map(({ manifest }) => manifest.digest));
  if (name !== undefined && digests.size > 1) {
    throw new ImageError(
      'invalid-reference',
      `${path} has ${digests.size} images, and one name is for one of them`,
    );
  }
  return sources;
}

function blobPath(digest: string): string {
  return `blobs/sha256/${digest.slice(digest.indexOf(':') + 1)}`;
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

async function* piece(bytes: Buffer, offset: number): AsyncGenerator<Buffer, void, undefined> {
  yield bytes.subarray(offset);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** Manifests and indexes of images, of OCI and of Docker. Pure. */
import { ImageError } from '../errors.ts';
import { platformFit, platformText } from '../reference/platform.ts';
import type { Platform } from '../types.ts';
import { type Descriptor, malformed, readDescriptor, readDescriptors, readDocument } from './descriptor.ts';

export const OCI_INDEX = 'application/vnd.oci.image.index.v1+json';
export const OCI_MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
export const OCI_CONFIG = 'application/vnd.oci.image.config.v1+json';
export const OCI_LAYER = 'application/vnd.oci.image.layer.v1.tar';
export const DOCKER_LIST = 'application/vnd.docker.distribution.manifest.list.v2+json';
export const DOCKER_MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';
const DOCKER_CONFIG = 'application/vnd.docker.container.image.v1+json';
/** Of registries that do not tell. */
const PLAIN_JSON = ['application/octet-stream', 'application/json', 'text/plain', ''];
const LAYERS =
  /^application\/vnd\.(?:oci\.image\.layer\.(?:v1|nondistributable\.v1)\.tar(?:\+gzip|\+zstd)?|docker\.image\.rootfs\.(?:diff|foreign\.diff)\.tar(?:\.gzip|\.zstd)?)$/;

/** A document that a name stands for. */
export type Manifest =
  | { readonly kind: 'index'; readonly manifests: readonly Descriptor[] }
  | { readonly kind: 'image'; readonly config: Descriptor; readonly layers: readonly Descriptor[] };

/**
 * @param what the document in messages: `the manifest of docker.io/library/redis:7`
 * @throws ImageError `wrong-content`, or `unsupported` for forms that are no images or too old
 */
export function parseManifest(bytes: Buffer, what: string): Manifest {
  const document = readDocument(bytes, what);
  const { schemaVersion, mediaType, manifests, config, layers } = document;
  if (schemaVersion === 1) {
    throw new ImageError(
      'unsupported',
      `${what} has the form of Docker before 2016 (schema 1); push the image again`,
    );
  }
  if (schemaVersion !== 2)
    throw malformed(what, `schemaVersion is ${JSON.stringify(schemaVersion)}, expected 2`);
  if (manifests !== undefined) {
    if (mediaType !== undefined && mediaType !== OCI_INDEX && mediaType !== DOCKER_LIST)
      throw unknown(what, mediaType);
    return { kind: 'index', manifests: readDescriptors(manifests, what, 'manifests') };
  }
  if (mediaType !== undefined && mediaType !== OCI_MANIFEST && mediaType !== DOCKER_MANIFEST)
    throw unknown(what, mediaType);
  const image = {
    kind: 'image',
    config: readDescriptor(config, what, 'config'),
    layers: readDescriptors(layers, what, 'layers'),
  } as const;
  refuseOthers(image.config, image.layers, what);
  return image;
}

function refuseOthers(config: Descriptor, layers: readonly Descriptor[], what: string): void {
  if (
    config.mediaType !== OCI_CONFIG &&
    config.mediaType !== DOCKER_CONFIG &&
    !PLAIN_JSON.includes(config.mediaType)
  ) {
    throw new ImageError(
      'unsupported',
      `${what} is of ${JSON.stringify(config.mediaType)}, which is no image of a container`,
    );
  }
  const other = layers.find(({ mediaType }) => !LAYERS.test(mediaType));
  if (other !== undefined) {
    const why = other.mediaType.includes('encrypted')
      ? 'layers that are encrypted'
      : `layers of ${JSON.stringify(other.mediaType)}`;
    throw new ImageError('unsupported', `${what} has ${why}; tar, by gzip, by zstd or plain, is known`);
  }
}

function unknown(what: string, mediaType: unknown): ImageError {
  return new ImageError(
    'unsupported',
    `${what} is of ${JSON.stringify(mediaType)}, which is no manifest of an image`,
  );
}

/**
 * The image of an index that runs on a platform; an entry that says none may be for any.
 *
 * @throws ImageError `no-platform` with those that are there
 */
export function chooseManifest(manifests: readonly Descriptor[], wanted: Platform, name: string): Descriptor {
  let best: { one: Descriptor; fit: number } | undefined;
  for (const one of manifests) {
    const fit = one.platform === undefined ? 0.5 : platformFit(wanted, one.platform);
    if (fit > (best?.fit ?? 0)) best = { one, fit };
  }
  if (best !== undefined) return best.one;
  throw noPlatform(
    name,
    wanted,
    manifests.flatMap(({ platform }) => (platform === undefined ? [] : [platform])),
  );
}

/** The error for an image that is there for others only. */
export function noPlatform(name: string, wanted: Platform, offered: readonly Platform[]): ImageError {
  // Attestations of builders are listed as images of an unknown platform.
  const names = offered.filter(({ os }) => os !== 'unknown').map(platformText);
  const there = names.length === 0 ? 'it names none' : `there is ${[...new Set(names)].join(', ')}`;
  return new ImageError('no-platform', `${name} is not there for ${platformText(wanted)}: ${there}`);
}

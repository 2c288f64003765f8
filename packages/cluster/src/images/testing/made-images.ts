/** Images made for tests: layers of given entries, and OCI layouts of these. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';

/** An entry of a layer: a header, of which only the name is needed, and the content of a file. */
export type MadeEntry = Partial<Header> & { readonly name: string; readonly content?: string | Buffer };

export interface MadeLayer {
  readonly tar: Buffer;
  readonly diffId: string;
}

export interface MadeImage {
  readonly name?: string;
  readonly layers: readonly MadeLayer[];
  readonly config?: Readonly<Record<string, unknown>>;
  readonly architecture?: string;
  /** @default by gzip */
  readonly compress?: (tar: Buffer) => Buffer;
}

export interface MadeManifest {
  readonly digest: string;
  /** All of the image, by digest. */
  readonly blobs: ReadonlyMap<string, Buffer>;
}

const MADE_AT = new Date('2026-01-02T03:04:05Z');

export async function madeLayer(entries: readonly MadeEntry[]): Promise<MadeLayer> {
  const packed = pack();
  const whole = buffer(packed as unknown as NodeJS.ReadableStream);
  for (const { content = '', ...header } of entries) packed.entry({ mtime: MADE_AT, ...header }, content);
  packed.finalize();
  const tar = await whole;
  return { tar, diffId: digestOf(tar) };
}

export function madeManifest({
  layers,
  config = {},
  architecture = 'amd64',
  compress = gzipSync,
}: MadeImage): MadeManifest {
  const blobs = new Map<string, Buffer>();
  const put = (bytes: Buffer, mediaType: string): object => {
    blobs.set(digestOf(bytes), bytes);
    return { mediaType, digest: digestOf(bytes), size: bytes.length };
  };
  const document = {
    ...{ architecture, os: 'linux', config, created: MADE_AT.toISOString() },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
  };
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: put(Buffer.from(JSON.stringify(document)), 'application/vnd.oci.image.config.v1+json'),
      layers: layers.map(({ tar }) => put(compress(tar), 'application/vnd.oci.image.layer.v1.tar+gzip')),
    }),
  );
  put(manifest, '');
  return { digest: digestOf(manifest), blobs };
}

/** Writes an OCI layout of images into a folder, and gives the folder. */
export function writeLayout(folder: string, images: readonly MadeImage[]): string {
  mkdirSync(join(folder, 'blobs', 'sha256'), { recursive: true });
  const manifests = images.map((image) => {
    const { digest, blobs } = madeManifest(image);
    for (const [name, bytes] of blobs) writeFileSync(join(folder, 'blobs', 'sha256', name.slice(7)), bytes);
    return {
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      ...{ digest, size: blobs.get(digest)?.length ?? 0 },
      platform: { os: 'linux', architecture: image.architecture ?? 'amd64' },
      ...(image.name !== undefined && { annotations: { 'org.opencontainers.image.ref.name': image.name } }),
    };
  });
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests }));
  return folder;
}

export function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** A registry with the images of these tests: whatever a pull may ask for, and nothing else. */
import { randomBytes } from 'node:crypto';
import { type MadeManifest, madeLayer, madeManifest } from '@turnsole/cluster/images/testing/made-images';
import { startTestServer, type TestServer } from '@turnsole/kube/testing/http-server';

export interface CrashRegistry extends AsyncDisposable {
  /** Whole names of its images. */
  readonly names: readonly string[];
  /** Files that an image has, path to content, of all of its layers together. */
  readonly contentOf: (name: string) => ReadonlyMap<string, string>;
}

/** Enough that unpacking takes a while. */
const FILES = 150;

/** Starts it with images `a`, `b` and `c`: all share a layer, `b` and `c` two, and the topmost layer of `c` removes files of the lowest. */
export async function startCrashRegistry(): Promise<CrashRegistry> {
  const layers = await Promise.all(['base', 'shared', 'own'].map(layerOf));
  const [base, shared, own] = layers.map(({ layer }) => layer);
  if (base === undefined || shared === undefined || own === undefined)
    throw new Error('there are three layers');
  const removing = await madeLayer([{ name: 'base/.wh..wh..opq' }, { name: 'last', content: 'last' }]);
  const contents = layers.map(({ content }) => content);
  const images: Readonly<Record<string, { manifest: MadeManifest; content: ReadonlyMap<string, string> }>> = {
    a: { manifest: madeManifest({ layers: [base] }), content: merged(contents.slice(0, 1)) },
    b: { manifest: madeManifest({ layers: [base, shared, own] }), content: merged(contents) },
    c: {
      manifest: madeManifest({ layers: [base, shared, removing] }),
      content: new Map([...(contents[1] ?? new Map<string, string>()), ['last', 'last']]),
    },
  };
  const server = await serve(images);
  const { host } = new URL(server.url);
  const nameOf = (image: string): string => `${host}/crash/${image}:1`;
  return {
    names: Object.keys(images).map(nameOf),
    contentOf: (name) => images[/crash\/(\w)/.exec(name)?.[1] ?? '']?.content ?? new Map<string, string>(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function layerOf(folder: string) {
  const content = new Map(
    Array.from({ length: FILES }, (_, index) => [
      `${folder}/${index % 10}/${index}`,
      randomBytes(3_000).toString('base64'),
    ]),
  );
  return { content, layer: await madeLayer([...content].map(([name, text]) => ({ name, content: text }))) };
}

function merged(contents: readonly ReadonlyMap<string, string>[]): ReadonlyMap<string, string> {
  return new Map(contents.flatMap((one) => [...one]));
}

function serve(images: Readonly<Record<string, { readonly manifest: MadeManifest }>>): Promise<TestServer> {
  const blobs = new Map(Object.values(images).flatMap(({ manifest }) => [...manifest.blobs]));
  return startTestServer(({ url, headers }, response) => {
    const [, image = '', kind = '', reference = ''] =
      /^\/v2\/crash\/(\w)\/(manifests|blobs)\/(\S+)$/.exec(url) ?? [];
    const digest =
      kind === 'manifests' && reference === '1' ? (images[image]?.manifest.digest ?? '') : reference;
    const bytes = blobs.get(digest);
    if (bytes === undefined) {
      response.writeHead(404).end();
      return;
    }
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
    response.writeHead(from === 0 ? 200 : 206, {
      'docker-content-digest': digest,
      'content-length': bytes.length - from,
      ...(kind === 'manifests' && { 'content-type': 'application/vnd.oci.image.manifest.v1+json' }),
    });
    response.end(bytes.subarray(from));
  });
}

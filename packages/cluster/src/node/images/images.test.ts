import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { matchImage, parseImage } from '@turnsole/kube/text/image-reference';
import type { ImageStore } from '../../images/types.ts';
import { placeOfImage } from './bring-image.ts';
import { builtInImages } from './built-in.ts';
import { ImageCatalogue, noImageMessage } from './catalogue.ts';
import { containerCommand, locateShell } from './command.ts';
import type { ImageEntry, InstalledImage } from './image-entry.ts';
import { installImages } from './install.ts';

const digest = `sha256:${'0'.repeat(64)}`;

/** The parts that a name may leave out. */
const UNNAMED = { registry: undefined, tag: undefined, digest: undefined };

const references: [name: string, parts: ReturnType<typeof parseImage>][] = [
  ['busybox', { path: 'busybox' }],
  ['library/busybox:1.36', { path: 'busybox', tag: '1.36' }],
  ['docker.io/library/busybox', { registry: 'docker.io', path: 'busybox' }],
  ['acme/shop-runner:3.0.0', { path: 'acme/shop-runner', tag: '3.0.0' }],
  ['localhost:5000/a/b:t', { registry: 'localhost:5000', path: 'a/b', tag: 't' }],
  [`shop@${digest}`, { path: 'shop', digest }],
  [`r.example/shop:2@${digest}`, { registry: 'r.example', path: 'shop', tag: '2', digest }],
  ['Shop', undefined],
  ['', undefined],
  ['a b', undefined],
  ['a:', undefined],
  ['/a', undefined],
];

for (const [name, parts] of references) {
  test(`image name ${JSON.stringify(name)}`, () =>
    assert.deepEqual(parseImage(name), parts === undefined ? undefined : { ...UNNAMED, ...parts }));
}

const matches: [name: string, image: string, exactness: number][] = [
  ['acme/shop-runner', 'acme.example/acme/shop-runner:latest', 1],
  ['acme/shop-runner', 'docker.io/acme/shop-runner:3.1.0', 1],
  ['acme/shop-runner', 'shop-runner', 0],
  ['shop:2', 'shop:2', 2],
  ['shop:2', 'shop:3', 0],
  ['shop:2', 'shop', 0],
  ['shop:latest', 'shop', 2],
  ['r.example/shop', 'r.example/shop:1', 2],
  ['r.example/shop', 'shop:1', 0],
];

for (const [name, image, exactness] of matches) {
  test(`${name} stands for ${image} with exactness ${exactness}`, () => {
    assert.equal(matchImage(name, image), exactness);
  });
}

const entry = (word: string): InstalledImage => ({ entrypoint: [word] });

test('the most exact entry wins, among equals one of the user; the others are known as general', () => {
  const catalogue = new ImageCatalogue(
    new Map([
      ['shop', entry('built-in')],
      ['busybox', entry('sh')],
    ]),
    new Map([
      ['shop', entry('any')],
      ['shop:2', entry('two')],
    ]),
  );
  const of = (image: string): string | undefined => catalogue.find(image)?.entry.entrypoint[0];
  assert.deepEqual(['shop', 'shop:2', 'shop:3', 'r.example/shop:2', 'busybox:1', 'other'].map(of), [
    'any',
    'two',
    'any',
    'two',
    'sh',
    undefined,
  ]);
  const isGeneral = (image: string): boolean | undefined => catalogue.find(image)?.isGeneral;
  assert.deepEqual(['shop', 'busybox'].map(isGeneral), [false, true]);
  assert.match(catalogue.find('shop:2')?.imageID ?? '', /^shop:2@sha256:[0-9a-f]{64}$/);
});

test('a name that is none is refused at the door', () => {
  assert.throws(() => new ImageCatalogue(new Map([['No Name', entry('x')]])), /cannot add image "No Name"/);
});

test('an unknown image says how to add it', () => {
  const why = noImageMessage('r.example/shop:2', 'containers of images need root');
  assert.match(why, /and containers of images need root; name a command for it: --image shop=COMMAND/);
  assert.match(noImageMessage('No Name', ''), /failed to parse image name "No Name"/);
});

const image: InstalledImage = { entrypoint: ['serve'], args: ['--fast'] };
const commands: [name: string, container: { command?: string[]; args?: string[] }, line: string[]][] = [
  ['neither', {}, ['serve', '--fast']],
  ['args replace arguments', { args: ['--slow'] }, ['serve', '--slow']],
  ['command replaces both', { command: ['run'] }, ['run']],
  ['command and args', { command: ['run'], args: ['$(A)', '$$(A)'] }, ['run', 'value', '$(A)']],
];

for (const [name, container, line] of commands) {
  test(`command: ${name}`, () => {
    assert.deepEqual(containerCommand(container, image, new Map([['A', 'value']])), line);
  });
}

test('a shell that is elsewhere is found, one that is missing is replaced', () => {
  const has =
    (...paths: string[]) =>
    (path: string) =>
      paths.includes(path);
  const path = '/usr/bin:/opt/bin';
  assert.deepEqual(locateShell(['/bin/bash', '-c', 'x'], path, has('/bin/bash')), ['/bin/bash', '-c', 'x']);
  assert.deepEqual(locateShell(['/bin/bash', '-c', 'x'], path, has('/opt/bin/bash')), [
    '/opt/bin/bash',
    '-c',
    'x',
  ]);
  assert.deepEqual(locateShell(['/bin/bash', '-c', 'x'], path, has()), ['/bin/sh', '-c', 'x']);
  assert.deepEqual(locateShell(['/bin/cat'], path, has()), ['/bin/cat']);
});

test('the built-in images run: node by name, kubectl and k6 of this host, and the commands that the cluster is given', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'turnsole images '));
  try {
    const commands = new Map([
      ['hello', ['echo', "it's", 'me']],
      ['kubectl', ['echo', 'given']],
    ]);
    const entries = builtInImages({ directory, commands, env: { HOME: directory } });
    const run = promisify(execFile);
    const version = await run(join(directory, 'bin', 'node'), ['--version']);
    assert.equal(version.stdout.trim(), process.version);
    for (const { entrypoint } of entries.values()) assert.ok(Array.isArray(entrypoint));
    assert.equal(entries.get('grafana/k6-operator'), undefined, 'there is no k6 in an empty path');
    const inPod = { env: { PATH: `${join(directory, 'bin')}:${process.env.PATH}`, TURNSOLE_POD_ROOT: '' } };
    const said = async (text: string): Promise<string> =>
      (await run('/bin/sh', ['-c', text], inPod)).stdout.trim();
    assert.equal(await said('hello again'), "it's me again");
    assert.equal(await said('kubectl get pods'), 'given get pods', 'nor is there a kubectl');
    const k6 = join(directory, 'k6');
    writeFileSync(k6, '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(directory, 'kubectl'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    const found = builtInImages({
      directory,
      commands,
      env: { HOME: directory, PATH: `/none:${directory}` },
    });
    assert.deepEqual(found.get('grafana/k6-operator'), { entrypoint: [k6] });
    // Where pods are plain processes, the host's kubectl gets the paths of their mounts.
    inPod.env.TURNSOLE_POD_ROOT = directory;
    mkdirSync(join(directory, 'tmp'));
    assert.equal(await said('kubectl apply -f /tmp/ -n a'), `apply -f ${directory}/tmp/ -n a`);
    assert.equal(await said('kubectl apply --filename=/tmp x=/y'), `apply --filename=${directory}/tmp x=/y`);
    assert.equal(await said("kubectl get '' /nothing"), 'get  /nothing');
    const account = join(directory, 'var/run/secrets/kubernetes.io/serviceaccount');
    mkdirSync(account, { recursive: true });
    for (const name of ['token', 'namespace']) writeFileSync(join(account, name), `the ${name}`);
    writeFileSync(join(directory, 'kubectl'), '#!/bin/sh\ncat "$KUBECONFIG"\n', { mode: 0o755 });
    Object.assign(inPod.env, { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' });
    const { clusters, contexts, users } = JSON.parse(await said('kubectl version'));
    assert.equal(clusters[0].cluster.server, 'https://10.0.0.1:443');
    assert.equal(contexts[0].context.namespace, 'the namespace');
    assert.equal(users[0].user.tokenFile, join(account, 'token'));
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('programs of an image are files of the cluster, in folders as the image has them', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'turnsole images '));
  try {
    const shop = {
      entrypoint: ['/shop/serve'],
      workingDir: '/shop',
      programs: { '/shop/serve': ['echo', 'serves'], '/usr/bin/shop-tool': ['echo', 'a tool'] },
    };
    const images = installImages(
      directory,
      new Map<string, ImageEntry>([
        ['acme/shop:2', shop],
        ['plain', { entrypoint: ['true'], workingDir: '/srv' }],
      ]),
    );
    assert.deepEqual(images.get('plain'), { entrypoint: ['true'], workingDir: '/srv' });
    const { programs = {}, workingDir } = images.get('acme/shop:2') ?? {};
    assert.deepEqual(Object.keys(programs), Object.keys(shop.programs));
    for (const [path, file] of Object.entries(programs)) {
      assert.equal(basename(file), basename(path));
      assert.ok(file.startsWith(`${directory}/`));
    }
    const run = promisify(execFile);
    const { stdout } = await run('/bin/sh', ['-c', './serve "two words"'], { cwd: workingDir });
    assert.equal(stdout, 'serves two words\n');
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('where an image is, is known without its registry: the store is opened only if it may have any', async () => {
  const catalogue = new ImageCatalogue(new Map([['web', { entrypoint: ['web'] }]]));
  let opened = 0;
  const stored = (mayHaveAny: boolean) => ({
    mayHaveAny: () => mayHaveAny,
    open: async () => {
      opened += 1;
      return { find: async (name: string) => (name === 'redis:7' ? {} : undefined) } as unknown as ImageStore;
    },
  });
  const places = async (of: Parameters<typeof placeOfImage>[0]['stored']): Promise<string[]> =>
    Promise.all(
      ['web', 'redis:7', 'nginx', 'No Name'].map((name) => placeOfImage({ catalogue, stored: of }, name)),
    );
  assert.deepEqual(await places({ missing: 'it is so' }), ['there', 'nowhere', 'nowhere', 'nowhere']);
  assert.deepEqual(await places(stored(false)), ['there', 'registry', 'registry', 'nowhere']);
  assert.equal(opened, 0);
  assert.deepEqual(await places(stored(true)), ['there', 'there', 'registry', 'nowhere']);
});

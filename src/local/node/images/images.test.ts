import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { matchImage, parseImage } from '@turnsole/kube/text/image-reference';
import { UPSTREAM_PROGRAMS } from '../../../chaos/upstream-programs.ts';
import { builtInImages } from './built-in.ts';
import { ImageCatalogue, unknownImageMessage } from './catalogue.ts';
import { containerCommand, locateShell } from './command.ts';
import type { ImageEntry } from './image-entry.ts';

const digest = `sha256:${'0'.repeat(64)}`;

/** The parts that a name may leave out. */
const UNNAMED = { registry: undefined, tag: undefined, digest: undefined };

const references: [name: string, parts: ReturnType<typeof parseImage>][] = [
  ['busybox', { path: 'busybox' }],
  ['library/busybox:1.36', { path: 'busybox', tag: '1.36' }],
  ['docker.io/library/busybox', { registry: 'docker.io', path: 'busybox' }],
  ['litmuschaos/go-runner:3.0.0', { path: 'litmuschaos/go-runner', tag: '3.0.0' }],
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
  ['litmuschaos/go-runner', 'litmuschaos.docker.scarf.sh/litmuschaos/go-runner:latest', 1],
  ['litmuschaos/go-runner', 'docker.io/litmuschaos/go-runner:3.1.0', 1],
  ['litmuschaos/go-runner', 'go-runner', 0],
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

const entry = (word: string): ImageEntry => ({ entrypoint: [word] });

test('the most exact entry wins, among equals the later catalogue', () => {
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
  assert.match(catalogue.find('shop:2')?.imageID ?? '', /^shop:2@sha256:[0-9a-f]{64}$/);
});

test('a name that is none is refused at the door', () => {
  assert.throws(() => new ImageCatalogue(new Map([['No Name', entry('x')]])), /cannot add image "No Name"/);
});

test('an unknown image says how to add it', () => {
  assert.match(unknownImageMessage('r.example/shop:2'), /--image shop=COMMAND/);
  assert.match(unknownImageMessage('No Name'), /failed to parse image name "No Name"/);
});

const image: ImageEntry = { entrypoint: ['serve'], args: ['--fast'] };
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

test('the built-in images run: node by name, experiments as charts call them', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'turnsole images '));
  try {
    const { entries } = builtInImages({ directory, env: { HOME: directory } });
    const run = promisify(execFile);
    const version = await run(join(directory, 'bin', 'node'), ['--version']);
    assert.equal(version.stdout.trim(), process.version);
    const folder = entries.get('litmuschaos/go-runner')?.workingDir;
    const env = { PATH: process.env.PATH, ...entries.get('litmuschaos/go-runner')?.env };
    const help = await run('/bin/sh', ['-c', './experiments --help'], { cwd: folder, env });
    assert.match(help.stdout, /turnsole experiment/);
    for (const { images, path, component } of UPSTREAM_PROGRAMS) {
      for (const image of [...images, 'turnsole/turnsole']) {
        const file = entries.get(image)?.programs?.[path] ?? `nothing at ${path} of ${image}`;
        assert.equal(basename(file), basename(path));
        assert.ok(readFileSync(file, 'utf8').includes(` ${component} "$@"`), `${image} ${path}`);
      }
    }
    for (const { entrypoint } of entries.values()) assert.ok(Array.isArray(entrypoint));
    const images = builtInImages({ directory, env: { HOME: directory, NODE_COMPILE_CACHE: '/elsewhere' } });
    const cacheOf = ({ entries: all }: typeof images): string | undefined =>
      all.get('turnsole')?.env?.NODE_COMPILE_CACHE;
    assert.equal(cacheOf(images), '/elsewhere', 'the folder that the user has told Node');
    assert.ok(cacheOf({ ...images, entries })?.startsWith(directory), 'else one of the user');
    assert.equal(entries.get('grafana/k6-operator'), undefined, 'there is no k6 in an empty path');
    // Nor is there a kubectl, so the images have Turnsole's.
    const shell = { cwd: folder, env: { ...env, PATH: `${join(directory, 'bin')}:${process.env.PATH}` } };
    const refused = await run('/bin/sh', ['-c', 'kubectl explain pods 2>&1 || true'], shell);
    assert.match(refused.stdout, /this kubectl knows apply, create, delete/);
    const k6 = join(directory, 'k6');
    writeFileSync(k6, '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(directory, 'kubectl'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    const withK6 = builtInImages({ directory, env: { HOME: directory, PATH: `/none:${directory}` } });
    assert.deepEqual(withK6.entries.get('grafana/k6-operator'), { entrypoint: [k6] });
    // Where pods are plain processes, the host's kubectl gets the paths of their mounts.
    const inPod = { ...shell, env: { ...shell.env, TURNSOLE_POD_ROOT: directory } };
    mkdirSync(join(directory, 'tmp'));
    const said = async (text: string): Promise<string> =>
      (await run('/bin/sh', ['-c', text], inPod)).stdout.trim();
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
    const [checker = '', ...args] = entries.get('litmuschaos/litmus-checker')?.entrypoint ?? [];
    const missing = await run(checker, args, shell).catch((error: { readonly stdout: string }) => error);
    assert.match(missing.stdout, /flag -file is missing/);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

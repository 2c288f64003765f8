/** `turnsole image`, as users type it, on a store of its own. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { thisPlatform } from '@turnsole/cluster/images/reference/platform';
import { madeLayer, madeManifest, writeLayout } from '@turnsole/cluster/images/testing/made-images';
import { noRegistry, push, TestRegistry } from '@turnsole/cluster/images/testing/registry';
import { isolationMissing } from '@turnsole/cluster/node/testing/isolation-missing';
import { createClient, loadKubeconfig } from '@turnsole/kube/client/index';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { type CommandOutcome, TurnsoleProcess } from '../support/turnsole.ts';

const notIsolated = (await isolationMissing()) ?? false;
const folder = mkdtempSync(join(tmpdir(), 'turnsole-image-command-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const image = {
  name: 'shop/api:dev',
  layers: [await madeLayer([{ name: 'app', content: 'app' }])],
  architecture: thisPlatform().architecture,
};
const layout = writeLayout(join(folder, 'layout'), [image]);
const { digest } = madeManifest(image);

async function turnsole(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CommandOutcome> {
  await using command = new TurnsoleProcess(['image', ...args], {
    XDG_CACHE_HOME: join(folder, 'cache'),
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(folder, 'compile-cache'),
    ...env,
  });
  return await command.ended;
}

test('an image is loaded, listed beside the names that stand for commands, removed, and pruned', async () => {
  const loaded = await turnsole(['load', layout]);
  assert.match(loaded.stdout, new RegExp(`^docker\\.io/shop/api:dev is there: ${digest}, \\d+ B$`));
  const named = await turnsole(['load', '--name', 'other:1', layout]);
  assert.match(named.stdout, /^docker\.io\/library\/other:1 is there/);
  const { stdout } = await turnsole(['list', '--no-config', '--image', 'my/api:dev=node server.js']);
  for (const line of [
    /^docker\.io\/shop\/api:dev +image +linux\//m,
    /^busybox +stand-in +\/bin\/sh$/m,
    /^my\/api:dev +stand-in +node server\.js$/m,
  ]) {
    assert.match(stdout, line);
  }
  const listed = JSON.parse((await turnsole(['list', '--no-config', '-o', 'json'])).stdout) as {
    kind: string;
  }[];
  assert.equal(listed.filter(({ kind }) => kind === 'stored').length, 2);
  assert.match(
    (await turnsole(['remove', 'other:1'])).stdout,
    /^removed docker\.io\/library\/other:1\n0 B are free$/,
  );
  const pruned = await turnsole(['prune', '--all']);
  assert.match(pruned.stdout, /^removed docker\.io\/shop\/api:dev\n\d+ B are free$/);
});

test('an image is pulled', { skip: noRegistry }, async () => {
  const place = join(folder, 'registry');
  mkdirSync(place);
  await using registry = await TestRegistry.start({ folder: place });
  await push(registry.url, 'shop/api', '1', madeManifest(image));
  const { stdout, code } = await turnsole(['pull', `${registry.host}/shop/api:1`]);
  assert.equal(code, 0);
  assert.match(stdout, new RegExp(`^${registry.host}/shop/api:1 is there: ${digest}`));
});

test('a cluster that stays says how far pulls of its pods are', {
  skip: noRegistry || notIsolated,
}, async () => {
  const place = join(folder, 'pulled-registry');
  mkdirSync(place);
  await using registry = await TestRegistry.start({ folder: place });
  await push(registry.url, 'shop/api', '1', madeManifest(image));
  const kubeconfig = join(folder, 'kubeconfig');
  await using up = new TurnsoleProcess(['up', '--isolation', 'full', '--kubeconfig', kubeconfig], {
    XDG_CACHE_HOME: join(folder, 'pulled-cache'),
  });
  await up.line(/stop it with/);
  const client = createClient(await loadKubeconfig({ path: kubeconfig }));
  const name = `${registry.host}/shop/api:1`;
  const pod = { metadata: { name: 'api' }, spec: { containers: [{ name: 'api', image: name }] } };
  await client.create<Pod>(PODS, pod, { namespace: 'default' });
  await up.line(new RegExp(`^default/api: Pulling image "${name}"`));
  await up.line(new RegExp(`^default/api: Successfully pulled image "${name}" in `));
  client.close();
});

test('an image is taken from a program that has it', async () => {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const archive = join(folder, 'archive.tar');
  execFileSync('tar', ['-C', layout, '-cf', archive, '.']);
  const docker = join(bin, 'docker');
  // Stands for Docker, which tests cannot start: it writes the image that it is asked for, as `docker save -o FILE NAME` does.
  writeFileSync(
    docker,
    `#!/bin/sh\n[ "$1 $2 $4" = "save -o shop/api:dev" ] || { echo "no such image: $4" >&2; exit 1; }\ncp ${archive} "$3"\n`,
  );
  chmodSync(docker, 0o755);
  const env = { PATH: `${bin}${delimiter}${process.env['PATH']}` };
  const taken = await turnsole(['load', '--image-from', 'docker', 'shop/api:dev'], env);
  assert.match(taken.stdout, /^docker\.io\/shop\/api:dev is there/);
  const none = await turnsole(['load', '--image-from', 'docker', 'none'], env);
  assert.deepEqual(
    [none.code, none.stderr],
    [3, 'turnsole: cannot take none from docker: no such image: none [IMAGE_FAILED]\n'],
  );
});

/** Command lines that are refused: the exit code, and what is said. */
const REFUSED: readonly (readonly [args: readonly string[], code: number, says: RegExp])[] = [
  [
    ['remove', 'none'],
    2,
    /there is no image docker\.io\/library\/none:latest in the store \[IMAGE_REFUSED\]/,
  ],
  [['remove', 'No Name'], 2, /"No Name" is no name of an image.*\[IMAGE_REFUSED\]/],
  [
    ['load', '/no/such/file'],
    2,
    /cannot read images from \/no\/such\/file: there is no such file \[IMAGE_REFUSED\]/,
  ],
  [['load', '--name', 'a', 'one', 'two'], 2, /--name is for one archive.*\[OPTION_INVALID\]/],
  [['load', '--image-from', 'other', 'a'], 2, /Allowed choices are docker, podman, buildah/],
  [['load', '--platform', 'arm', 'a'], 2, /expected os\/architecture/],
  [['prune', '--max-size', 'much'], 2, /expected a size/],
  [['pull', 'registry.invalid/a'], 3, /the name registry\.invalid is not found \[IMAGE_FAILED\]/],
];

for (const [args, code, says] of REFUSED) {
  test(`turnsole image ${args.join(' ')} is refused`, async () => {
    const outcome = await turnsole(args);
    assert.equal(outcome.code, code);
    assert.match(outcome.stderr, says);
  });
}

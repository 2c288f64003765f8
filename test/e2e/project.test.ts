/** Commands in a folder with turnsole.yaml. */
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { webApp } from '../support/manifests.ts';
import { TurnsoleProcess, temporaryFolder, turnsole } from '../support/turnsole.ts';

const SERVER = `
const server = require('node:http').createServer((_request, response) => response.end('own image'));
server.listen(8080);
process.on('SIGTERM', () => server.close(() => process.exit(0)));
`;

async function project(folder: string, more = ''): Promise<string> {
  await mkdir(join(folder, 'k8s'));
  await writeFile(join(folder, 'k8s', 'app.yaml'), webApp(2).replace('turnsole/sample-web', 'shop/web:1'));
  await writeFile(join(folder, 'server.js'), SERVER);
  const file = join(folder, 'turnsole.yaml');
  const text = [
    'manifests: [k8s]',
    'build: [echo built > built.txt]',
    'images: { shop/web: node server.js }',
  ];
  await writeFile(file, [...text, 'isolation: none', more].join('\n'));
  return file;
}

const FAULT = ['--fault', 'pod-delete', '--target', 'deployment/web'];
const SHORT = ['--set', 'TOTAL_CHAOS_DURATION=2', '--set', 'CHAOS_INTERVAL=2'];

test('run takes manifests, images and isolation of the project, and builds first; plan does so too', async () => {
  await using folder = await temporaryFolder();
  const config = await project(folder.path);
  const ran = await turnsole(['run', '--config', config, ...FAULT, ...SHORT, '--no-timeline']);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.match(ran.stdout, /build: echo built/);
  assert.equal(await readFile(join(folder.path, 'built.txt'), 'utf8'), 'built\n');
  assert.match(ran.stdout, /Pass +1\/1/);
  const planned = await turnsole(['plan', '--config', config, ...FAULT, '-o', 'json']);
  assert.equal(planned.code, 0, planned.stderr);
  assert.equal(JSON.parse(planned.stdout).engines[0].name, 'web-pod-delete');
});

test('what is wrong in the project is refused with its line, and a build that fails ends the command', async () => {
  await using folder = await temporaryFolder();
  const config = await project(folder.path, 'image: { a: b }');
  const junit = join(folder.path, 'junit.xml');
  const refused = await turnsole(['run', '--config', config, ...FAULT, '--junit', junit]);
  assert.equal(refused.code, 2);
  assert.match(await readFile(junit, 'utf8'), /<error message=".*turnsole\.yaml:5: image: unknown field;/);
  assert.match(
    refused.stderr,
    /turnsole\.yaml:5: image: unknown field; did you mean "images"\? \[FIELD_UNKNOWN\]/,
  );
  await writeFile(config, 'manifests: [k8s]\nbuild: [exit 7]\nimages: { shop/web: node server.js }');
  const failed = await turnsole(['run', '--config', config, ...FAULT]);
  assert.equal(failed.code, 3);
  assert.match(failed.stderr, /turnsole\.yaml: build: exit 7 ended with exit code 7.*\[BUILD_FAILED\]/);
  const empty = await turnsole(['run', '--config', config]);
  assert.equal(empty.code, 2);
  assert.match(empty.stderr, /no ChaosEngine.* found/);
});

test('a module of the project that is no fault is named, with what is wrong in it, before anything begins', async () => {
  await using folder = await temporaryFolder();
  const config = await project(folder.path, 'faults: [faults]');
  await mkdir(join(folder.path, 'faults'));
  const files = { 'pod-mark.js': 'export default { name: "mark" };', 'pod-none.js': 'export default {' };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder.path, 'faults', name), text);
  const junit = join(folder.path, 'junit.xml');
  const { code, stdout, stderr } = await turnsole(['run', '--config', config, ...FAULT, '--junit', junit]);
  assert.equal(code, 2, stdout + stderr);
  assert.match(
    stderr,
    /pod-mark\.js: name: expected pod-mark, .*\n.*pod-none from .*: Unexpected .*\[FAULT_REFUSED\]/,
  );
  assert.match(await readFile(junit, 'utf8'), /type="FAULT_REFUSED"/);
});

test('up knows the images of the project, in the background as well', async () => {
  await using folder = await temporaryFolder();
  const config = await project(folder.path);
  const env = { XDG_STATE_HOME: folder.path };
  const kubeconfig = join(folder.path, 'kc');
  const name = ['--name', 'project-test'];
  const up = await turnsole(['up', '--detach', ...name, '--config', config, '--kubeconfig', kubeconfig], env);
  assert.equal(up.code, 0, up.stdout + up.stderr);
  try {
    const files = [join(folder.path, 'k8s')];
    const run = ['run', ...FAULT, ...SHORT, '--no-timeline', '--kubeconfig', kubeconfig];
    await using ran = new TurnsoleProcess([...run, ...files], env);
    const { code, stdout, stderr } = await ran.ended;
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /Pass +1\/1/);
  } finally {
    assert.equal((await turnsole(['down', ...name], env)).code, 0);
  }
});

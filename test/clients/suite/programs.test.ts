import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../support/turnsole.ts';
import { Programs, versionIn } from './programs.ts';

test('a program of the folder comes before one on PATH, and one that may not be run is none', async () => {
  await using folder = await temporaryFolder();
  const [clients, path] = [join(folder.path, 'clients'), join(folder.path, 'path')];
  for (const one of [clients, path]) await mkdir(one);
  for (const file of [join(clients, 'argo'), join(path, 'argo'), join(path, 'helm'), join(clients, 'k9s')]) {
    await writeFile(file, '#!/bin/sh\n');
    await chmod(file, file.endsWith('k9s') ? 0o644 : 0o755);
  }
  await mkdir(join(clients, 'java'));
  const programs = new Programs({ TURNSOLE_CLIENTS: clients, PATH: `/nowhere:${path}` });
  assert.equal(programs.find('argo'), join(clients, 'argo'));
  assert.equal(programs.find('helm'), join(path, 'helm'));
  assert.equal(programs.find('k9s'), undefined);
  assert.equal(programs.find('java'), undefined, 'a folder');
  const withoutFolder = new Programs({ PATH: path });
  assert.equal(withoutFolder.find('argo'), join(path, 'argo'));
  assert.equal(withoutFolder.beside('java'), undefined);
});

test('versions are noted a line each', () => {
  const text = 'litmusctl 1.25.0 (b9f5652)\nsubscriber 3.31.0\n';
  assert.equal(versionIn(text, 'litmusctl'), '1.25.0 (b9f5652)');
  assert.equal(versionIn(text, 'subscriber'), '3.31.0');
  assert.equal(versionIn(text, 'litmus'), undefined);
  assert.equal(new Programs({}).notedVersion('litmusctl'), 'unknown');
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { builtInImages } from '@turnsole/cluster/node/images/built-in';
import { installImages } from '@turnsole/cluster/node/images/install';
import { UPSTREAM_PROGRAMS } from '../chaos/upstream-programs.ts';
import { ownImages } from './images.ts';

test('the images of chaos run: experiments as charts call them, steps of workflows, kubectl where there is none', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'turnsole images '));
  try {
    const { images, commands } = ownImages([], { HOME: directory });
    builtInImages({ directory, commands, env: { HOME: directory } });
    const installed = installImages(directory, images);
    const run = promisify(execFile);
    const { workingDir: folder, env: own } = installed.get('litmuschaos/go-runner') ?? {};
    const env = { PATH: process.env.PATH, ...own };
    const help = await run('/bin/sh', ['-c', './experiments --help'], { cwd: folder, env });
    assert.match(help.stdout, /turnsole experiment/);
    for (const { images: names, path, component } of UPSTREAM_PROGRAMS) {
      for (const image of [...names, 'turnsole/turnsole']) {
        const file = installed.get(image)?.programs?.[path] ?? `nothing at ${path} of ${image}`;
        assert.equal(basename(file), basename(path));
        assert.ok(readFileSync(file, 'utf8').includes(` ${component} "$@"`), `${image} ${path}`);
      }
    }
    const shell = { cwd: folder, env: { ...env, PATH: `${join(directory, 'bin')}:${process.env.PATH}` } };
    const refused = await run('/bin/sh', ['-c', 'kubectl explain pods 2>&1 || true'], shell);
    assert.match(refused.stdout, /this kubectl knows apply, create, delete/);
    const [checker = '', ...args] = installed.get('litmuschaos/litmus-checker')?.entrypoint ?? [];
    const missing = await run(checker, args, shell).catch((error: { readonly stdout: string }) => error);
    assert.match(missing.stdout, /flag -file is missing/);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('compiled code is kept in the folder that the user has told Node, else in one of the user', () => {
  const home = mkdtempSync(join(tmpdir(), 'turnsole-home-'));
  try {
    const cacheOf = (env: NodeJS.ProcessEnv): string | undefined =>
      ownImages([], env).images.get('turnsole')?.env?.NODE_COMPILE_CACHE;
    assert.equal(cacheOf({ HOME: home, NODE_COMPILE_CACHE: '/elsewhere' }), '/elsewhere');
    assert.ok(cacheOf({ HOME: home })?.startsWith(home));
  } finally {
    rmSync(home, { recursive: true });
  }
});

test("the user's own images are exceptions from those that are known to run Turnsole's code", () => {
  const { knownImages } = ownImages(['litmuschaos/go-runner:mine'], { NODE_COMPILE_CACHE: '/elsewhere' });
  assert.ok(knownImages.includes('litmuschaos/go-runner'));
  assert.equal(knownImages.at(-1), '!litmuschaos/go-runner:mine');
});

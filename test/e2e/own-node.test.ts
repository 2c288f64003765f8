/** A project on an older Node: the command gets a Node for itself alone, by npm, and the project's stays in front. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { olderNode } from '../support/older-node.ts';
import { temporaryFolder } from '../support/turnsole.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const NAME = `node-${process.platform}-${process.arch}`;
const older = olderNode();
const skip = older === undefined ? 'this machine has no Node from 18 to 23' : false;

/** A registry that has one version of a package, whose program is the Node of this process. */
async function registry(folder: string, version: string) {
  const program = join(folder, 'package', 'bin', 'node');
  await mkdir(join(folder, 'package', 'bin'), { recursive: true });
  await writeFile(
    join(folder, 'package', 'package.json'),
    JSON.stringify({ name: NAME, version, bin: 'bin/node' }),
  );
  await writeFile(program, `#!/bin/sh\nexec ${process.execPath} "$@"\n`);
  await chmod(program, 0o755);
  execFileSync('tar', ['-czf', join(folder, 'node.tgz'), '-C', folder, 'package']);
  const archive = await readFile(join(folder, 'node.tgz'));
  let fetched = 0;
  const server = createServer((request, response) => {
    if (request.url?.endsWith('.tgz')) {
      fetched += 1;
      response.end(archive);
      return;
    }
    const { port } = server.address() as AddressInfo;
    const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
    const dist = { tarball: `http://127.0.0.1:${port}/node.tgz`, integrity };
    const versions = { [version]: { name: NAME, version, dist } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name: NAME, 'dist-tags': { latest: version }, versions }));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    fetched: () => fetched,
    [Symbol.asyncDispose]: () => new Promise<void>((closed) => server.close(() => closed())),
  };
}

function start(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    execFile(program, args, { env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/** The package as it is installed, with the version of the command in the place of its bundle. */
async function installed(folder: string): Promise<string> {
  const home = join(folder, 'project', 'node_modules', 'turnsole');
  await mkdir(join(home, 'dist'), { recursive: true });
  await cp(join(ROOT, 'bin'), join(home, 'bin'), { recursive: true });
  await cp(join(ROOT, 'package.json'), join(home, 'package.json'));
  await writeFile(
    join(home, 'dist', 'main.js'),
    'export const runCli = async (args) => console.log(process.versions.node, ...args);',
  );
  return join(home, 'bin', 'turnsole.js');
}

describe('the package in a project on an older Node', { skip }, () => {
  it('installs a Node once, for itself alone', async () => {
    assert.ok(older);
    await using folder = await temporaryFolder();
    const main = await installed(folder.path);
    const [, version = ''] =
      new RegExp(`'${NAME}', '([\\d.]+)'`).exec(await readFile(join(ROOT, 'bin', 'find-node.js'), 'utf8')) ??
      [];
    await using npm = await registry(join(folder.path, 'registry'), version);
    const cache = join(folder.path, 'cache');
    const env = {
      XDG_CACHE_HOME: cache,
      npm_config_registry: npm.url,
      npm_config_cache: join(folder.path, 'npm'),
    };
    const both = await Promise.all(['a', 'b'].map((word) => start(older, [main, word], env)));
    for (const [index, { code, stdout, stderr }] of both.entries()) {
      assert.equal(code, 0, stderr);
      assert.equal(stdout, `${process.versions.node} ${'ab'[index]}\n`);
      assert.match(stderr, /needs Node 24, this is v\d+.*installing node-.* into .*, once/);
    }
    const before = npm.fetched();
    const again = await start(older, [main, 'c'], env);
    assert.deepEqual(again, { code: 0, stdout: `${process.versions.node} c\n`, stderr: '' });
    assert.equal(npm.fetched(), before);
    assert.deepEqual(await readdir(join(cache, 'turnsole', 'node')), [version]);
    assert.deepEqual(await readdir(join(folder.path, 'project', 'node_modules')), ['turnsole']);
    // What others may write to is not run.
    await chmod(join(cache, 'turnsole', 'node', version), 0o777);
    const foreign = await start(older, [main, 'd'], env);
    assert.equal(foreign.code, 3);
    assert.equal(foreign.stdout, '');
    assert.match(foreign.stderr, /is not this user's alone, and is not run from; remove it, or name a Node/);
  });

  it('says what to do where npm cannot install one, and takes the one that is named', async () => {
    assert.ok(older);
    await using folder = await temporaryFolder();
    const main = await installed(folder.path);
    const env = {
      XDG_CACHE_HOME: join(folder.path, 'cache'),
      npm_config_registry: 'http://127.0.0.1:9/',
      npm_config_fetch_retries: '0',
      npm_config_cache: join(folder.path, 'npm'),
    };
    const refused = await start(older, [main], env);
    assert.equal(refused.code, 3);
    assert.match(
      refused.stderr,
      /npm could not install it .*; install Node 24, or name one by TURNSOLE_NODE/,
    );
    const named = await start(older, [main, 'x'], { ...env, TURNSOLE_NODE: process.execPath });
    assert.equal(named.stdout, `${process.versions.node} x\n`);
    const wrong = await start(older, [main], { ...env, TURNSOLE_NODE: '/none' });
    assert.equal(wrong.code, 3);
    assert.match(wrong.stderr, /TURNSOLE_NODE names \/none, which is not there/);
  });
});

describe('what is published', () => {
  it('has no dependency that would be installed beside it, and no other command', async () => {
    const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    for (const field of ['dependencies', 'optionalDependencies'])
      assert.equal(manifest[field], undefined, `${field}: the bundle holds what it needs`);
    // What npm does not install by itself.
    for (const name of Object.keys(manifest.peerDependencies ?? {}))
      assert.equal(manifest.peerDependenciesMeta?.[name]?.optional, true, name);
    assert.deepEqual(Object.keys(manifest.bin), ['turnsole']);
  });

  it('installs the Node that a checkout works with, on each platform', async () => {
    const checkout = JSON.parse(await readFile(join(ROOT, 'build', 'node', 'package.json'), 'utf8'));
    const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'));
    const text = await readFile(join(ROOT, 'bin', 'find-node.js'), 'utf8');
    for (const name of Object.keys(checkout.optionalDependencies)) {
      const { version } = lock.packages[`node_modules/${name}`];
      assert.ok(text.includes(`['${name}', '${version}']`), `${name} ${version}`);
    }
  });
});

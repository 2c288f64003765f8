import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { makeTemporaryFolder } from '@turnsole/kube/base/temporary-folder';
import { PACKAGE_ROOT } from '../../process/package-root.ts';
import { terminalOf } from './terminal.ts';

const folder = makeTemporaryFolder('turnsole-terminal-');
after(() => rmSync(folder, { recursive: true }));
const own = join(PACKAGE_ROOT, 'bin', 'turnsole.js');

/** A folder in which `turnsole` is this package. */
function installedIn(...names: readonly string[]): string {
  const path = join(folder, ...names);
  mkdirSync(path, { recursive: true });
  symlinkSync(own, join(path, 'turnsole'));
  return path;
}

test('a command line names the cluster by its file and context, in words of a shell', () => {
  const env = { PATH: installedIn('bin') };
  const words = terminalOf({ files: ['/tmp/a b/kubeconfig'], context: 'dev' }, env);
  assert.deepEqual([words?.turnsole, words?.variables], ['turnsole', '']);
  assert.equal(words?.cluster, "--kubeconfig '/tmp/a b/kubeconfig' --context dev");
});

test('several files are a variable, as no option takes them', () => {
  const words = terminalOf({ files: ['/a', '/b'] }, { PATH: installedIn('other') });
  const files = ['/a', '/b'].join(delimiter);
  assert.equal(words?.cluster, '');
  assert.match(words?.turnsole ?? '', new RegExp(`^KUBECONFIG='?${files}'? turnsole$`));
});

test('a name that only what npx starts finds is none; the file works everywhere', () => {
  const env = { PATH: installedIn('project', 'node_modules', '.bin') };
  assert.equal(terminalOf({ files: ['/a'] }, env)?.turnsole, `${process.execPath} ${own}`);
});

test('a cluster without a file has no command line', () => {
  assert.equal(terminalOf({ files: [] }, {}), undefined);
});

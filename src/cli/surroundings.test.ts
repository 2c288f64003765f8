/** Commands in surroundings that refuse them something, as processes. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';

const COMMAND = fileURLToPath(new URL('../../bin/turnsole.js', import.meta.url));

test('an output that is lost is a failure of every command', { skip: !existsSync('/dev/full') }, () => {
  for (const args of [['faults', 'list'], ['--help']]) {
    const full = openSync('/dev/full', 'w');
    try {
      const { status, stderr } = spawnSync(process.execPath, [COMMAND, ...args], {
        stdio: ['ignore', full, 'pipe'],
        encoding: 'utf8',
        timeout: PATIENCE_MS,
      });
      assert.equal(status, 3, args.join(' '));
      assert.match(stderr, /^turnsole: cannot write to standard output: ENOSPC/);
    } finally {
      closeSync(full);
    }
  }
});

test('a home that cannot be written to', { skip: !existsSync('/proc/self') }, () => {
  const { XDG_CACHE_HOME: _, XDG_STATE_HOME: __, ...others } = process.env;
  const env = { ...others, HOME: '/proc/turnsole' };
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [COMMAND, ...args], { env, encoding: 'utf8', timeout: PATIENCE_MS });
  const list = run('faults', 'list');
  assert.deepEqual([list.status, list.stderr], [0, '']);
  const up = run('up', '--detach', '--kubeconfig', '/dev/null');
  assert.equal(up.status, 3);
  assert.match(up.stderr, /cannot remember clusters in \/proc\/turnsole\/.*; set XDG_STATE_HOME/);
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type ClientCluster, type Outcome, startClientCluster } from './harness.ts';

const SCRIPT = fileURLToPath(new URL('python/conformance.py', import.meta.url));
/** Debian's own Python is the one that Debian's packages are for; another may come first on PATH. */
const PYTHON = ['/usr/bin/python3', 'python3'].find(hasClient);

function hasClient(python: string): boolean {
  return spawnSync(python, ['-c', 'import kubernetes.leaderelection'], { stdio: 'ignore' }).status === 0;
}

/** The tests of the script. */
const TESTS = [
  'crud',
  'watch',
  'pods_and_logs',
  'workloads',
  'custom_objects',
  'dynamic',
  'leader_election',
  'versions_and_rights',
];

const skip = PYTHON === undefined ? 'the Python client (Debian: python3-kubernetes) is not installed' : false;

describe('the Python client', { skip, timeout: 600_000 }, () => {
  let cluster: ClientCluster;
  let outcome: Outcome;

  before(async () => {
    cluster = await startClientCluster();
    // One process for all: most of its time is the import of the library.
    outcome = await cluster.run(PYTHON ?? '', [SCRIPT]);
  });
  after(() => cluster.close());

  for (const name of TESTS) {
    it(name.replaceAll('_', ' '), () => {
      assert.match(
        outcome.stdout,
        new RegExp(`^ok test_${name}$`, 'm'),
        `${outcome.stdout}\n${outcome.stderr}`,
      );
    });
  }

  it('has no test that is not listed here', () => {
    assert.equal(outcome.stdout.match(/^(not )?ok test_/gm)?.length, TESTS.length);
    assert.equal(outcome.code, 0);
  });
});

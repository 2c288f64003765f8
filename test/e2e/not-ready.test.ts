/** Applications that do not start: the message says why, without a look into a cluster that is gone by then. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { webApp } from '../support/manifests.ts';
import { temporaryFolder, turnsole } from '../support/turnsole.ts';

const FAULT = ['--fault', 'pod-delete', '--target', 'deployment/web', '--isolation', 'none'];

async function runOf(manifests: string, ...options: string[]) {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'app.yaml');
  await writeFile(file, manifests);
  const { code, stdout, stderr } = await turnsole(['run', ...FAULT, ...options, file]);
  // Each line names the program.
  return { code, stdout, stderr: stderr.replaceAll(/^turnsole: /gm, '') };
}

describe('an application that does not start', () => {
  it('ends with an exit code: that code, and the last lines that it printed', async () => {
    const broken = webApp(2).replace(
      'image: turnsole/sample-web',
      'image: node\n          command: [node, -e, "console.error(\'no DATABASE_URL\'); process.exit(3)"]',
    );
    const { code, stderr } = await runOf(broken, '--ready-timeout', '8s');
    assert.equal(code, 3);
    assert.match(stderr, /Deployment default\/web \(0\/2 pods ready\) did not become ready within 8 s/);
    assert.equal(stderr.match(/pod web-\S+: container web ended with exit code 3/g)?.length, 2, stderr);
    assert.match(stderr, /\| no DATABASE_URL/);
    assert.match(stderr, /\[WORKLOAD_NOT_READY\]/);
  });

  it('is asked at a port on which it does not listen: the last result of its probe', async () => {
    const wrong = webApp(1).replace('port: http }, periodSeconds', 'port: 8099 }, periodSeconds');
    const { code, stderr } = await runOf(wrong, '--ready-timeout', '8s');
    assert.equal(code, 3);
    assert.match(
      stderr,
      /pod web-\S+: container web runs, and is not ready\n +Unhealthy: Readiness probe failed: .*8099/,
    );
  });

  it('has images that nothing stands for: all of them at once, with the lines to write', async () => {
    const other = webApp(1)
      .split('---')[0]
      ?.replaceAll(/\bweb\b/g, 'other')
      .replace('turnsole/sample-other', 'registry.example/shop/other:3');
    const both = [webApp(1).replace('turnsole/sample-web', 'shop/web:1'), other].join('---\n');
    const { code, stderr, stdout } = await runOf(both);
    assert.equal(code, 3, stderr);
    assert.match(
      stderr,
      /2 images of the pods cannot be had:\n {2}shop\/web:1 \(Deployment web\): .*\n {2}registry\.example\/shop\/other:3 \(Deployment other\): /,
    );
    assert.match(stderr, /images:\n {2}shop\/web: COMMAND\n {2}shop\/other: COMMAND/);
    assert.doesNotMatch(stdout, /applied/);
  });
});

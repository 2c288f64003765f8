/** The verdict of an engine whose experiments do not agree, as `kubectl get` and `turnsole status` show it. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { kubectlMissing } from '../clients/harness.ts';
import { chaosAccount, documents, engine, experiment, webApp, webProbe } from '../support/manifests.ts';
import { turnsole } from '../support/turnsole.ts';
import { applyText, type DetachedCluster, detachedCluster, output } from '../support/up.ts';

type Experiments = NonNullable<NonNullable<Parameters<typeof engine>[0]>['experiments']>;

describe('an engine whose experiments do not agree', { skip: kubectlMissing }, () => {
  let cluster: DetachedCluster;
  before(async () => {
    cluster = await detachedCluster();
    const app = [webApp(), chaosAccount(), experiment('pod-delete'), experiment('container-kill')];
    await applyText(cluster.client, documents(...app));
  });
  after(() => cluster[Symbol.asyncDispose]());

  /** Runs an engine to its end and gives what users see of it. */
  async function shown(
    name: string,
    experiments: Experiments,
  ): Promise<{ column: string | undefined; status: string }> {
    const file = join(cluster.folder, `${name}.yaml`);
    await writeFile(file, engine({ name, experiments }));
    const cli = ['--kubeconfig', cluster.kubeconfig];
    const run = await turnsole(['run', file, ...cli]);
    assert.equal(run.code, 1, run.stdout + run.stderr);
    const { stdout } = await turnsole(['status', ...cli]);
    const columns = await output('kubectl', [...cli, 'get', 'chaosengine', name]);
    const [head = [], row = []] = columns.split('\n').map((line) => line.split(/ {2,}/));
    return { column: row[head.indexOf('VERDICT')], status: stdout };
  }

  it('Pass and Fail come to Fail', async () => {
    const { column, status } = await shown('mixed', [
      { name: 'pod-delete' },
      { name: 'container-kill', probes: webProbe('EOT', '418') },
    ]);
    assert.equal(column, 'Fail');
    assert.match(status, /^engine default\/mixed: completed, Fail$/m);
    assert.match(status, /^ {2}pod-delete: Completed, Pass$/m);
    assert.match(status, /^ {2}container-kill: Completed, Fail/m);
  });

  it('a probe that stops the run', async () => {
    const probes = webProbe('Continuous', '418').replace('attempt: 3', 'attempt: 1, stopOnFailure: true');
    const env = { TOTAL_CHAOS_DURATION: '600', CHAOS_INTERVAL: '600' };
    const { column, status } = await shown('probed', [
      { name: 'pod-delete', env, probes },
      { name: 'container-kill' },
    ]);
    assert.equal(column, 'Stopped');
    assert.match(status, /^engine default\/probed: stopped, Stopped$/m);
    assert.match(status, /^ {2}pod-delete: Forcefully Aborted, Stopped/m);
  });
});

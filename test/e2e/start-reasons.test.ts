/** Whatever keeps a run from starting, the reason is where users look: engine, Event, timeline, command line. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { EmbeddedCluster } from '@turnsole/cluster/cluster/types';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import { type Operator, startOperator } from '../../src/components/operator/start-operator.ts';
import { startChaosCluster } from '../../src/embedded/index.ts';
import { webApp } from '../support/manifests.ts';
import { prepareCause, reportedReason, START_CAUSES } from '../support/start-causes.ts';
import { type CommandOutcome, TurnsoleProcess, temporaryFolder, turnsole } from '../support/turnsole.ts';
import { applyText } from '../support/up.ts';

const LIMIT_MS = 120_000;

describe('a run that cannot start says why', { concurrency: 4 }, () => {
  let cluster: EmbeddedCluster;
  let client: KubeClient;
  let operator: Operator;
  before(async () => {
    cluster = await startChaosCluster({ isolation: 'none' });
    client = createClient(cluster.adminConfig);
    operator = await startOperator({ client });
    await applyText(client, webApp(1));
  });
  after(async () => {
    await operator.stop();
    client.close();
    await cluster.close();
  });

  for (const cause of START_CAUSES) {
    it(cause.name, { timeout: LIMIT_MS }, async (context) => {
      const namespace = await prepareCause(client, cause);
      const { statusMs, eventMs, step, engine } = await reportedReason(client, cause, namespace);
      context.diagnostic(
        `in the status after ${Math.round(statusMs)} ms, in an Event after ${Math.round(eventMs)} ms`,
      );
      assert.ok(
        step !== undefined,
        `no line of the timeline says it: ${JSON.stringify(engine.status?.timeline)}`,
      );
      // A runner that fails again and again is at work in between: then there is nothing to say for a moment.
      let outcome: CommandOutcome;
      do {
        outcome = await turnsole(['status', '-n', namespace, '--kubeconfig', cluster.kubeconfigPath]);
        assert.equal(outcome.code, 0);
      } while (cause.comesAndGoes === true && !cause.message.test(outcome.stdout) && !context.signal.aborted);
      assert.match(outcome.stdout, cause.message);
      // Nothing pretends that something was judged.
      assert.ok(engine.status?.experiments?.every(({ verdict }) => verdict !== 'Pass') ?? true);
    });
  }

  // What `turnsole run` cannot know before it begins; everything else it refuses with exit code 2 (run.test.ts, plan.test.ts).
  for (const name of ['runner: unschedulable', 'experiment: quota exceeded']) {
    it(`turnsole run prints it while it waits: ${name}`, async () => {
      const cause = START_CAUSES.find((one) => one.name === name);
      assert.ok(cause);
      const namespace = await prepareCause(client, cause, '-run');
      await using folder = await temporaryFolder();
      const file = join(folder.path, 'engine.json');
      const engine = {
        apiVersion: 'litmuschaos.io/v1alpha1',
        kind: 'ChaosEngine',
        metadata: { name: 'web', namespace },
        spec: {
          engineState: 'active',
          chaosServiceAccount: 'chaos-sa',
          appinfo: { appns: 'default', applabel: 'app=web', appkind: 'deployment' },
          experiments: [{ name: 'pod-delete' }],
          ...cause.spec,
        },
      };
      await writeFile(file, JSON.stringify(engine));
      await using command = new TurnsoleProcess(['run', file, '--kubeconfig', cluster.kubeconfigPath]);
      await command.line(cause.message);
      const { code, stdout, stderr } = await command.stop('SIGINT');
      assert.equal(code, 130, stdout + stderr);
    });
  }
});

/** `kill -9` of the process that has a cluster, while a fault is in force on it: nothing of it stays on the machine. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isolationMissing } from '@turnsole/cluster/node/testing/isolation-missing';
import { PATIENCE_MS, until } from '@turnsole/kube/testing/until';
import { JOURNAL_FOLDER } from '../../src/chaos/journal-folder.ts';
import { MAIN, TurnsoleProcess, temporaryFolder } from '../support/turnsole.ts';
import { output } from '../support/up.ts';

const missing = await isolationMissing();
/** A shared machine is slow now and then; what has not gone by then does not go. */

const scene = (namespace: string): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: ${namespace} }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: busybox, command: [sleep, "600"] }] }
---
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosEngine
metadata: { name: eng, namespace: ${namespace} }
spec:
  engineState: active
  appinfo: { appns: ${namespace}, applabel: app=web, appkind: deployment }
  chaosServiceAccount: pod-network-loss-sa
  experiments:
    - name: pod-network-loss
      spec: { components: { env: [{ name: TOTAL_CHAOS_DURATION, value: "120" }] } }
`;

/** Journals of helpers of the namespace; its name is drawn. */
function journals(namespace: string): string[] {
  if (!existsSync(JOURNAL_FOLDER)) return [];
  return readdirSync(JOURNAL_FOLDER).filter((name) => name.startsWith(`${namespace}_`));
}

/** What the machine has of the clusters of a process: folders, cgroups, and processes of pods. */
function leftOf(folder: string): string[] {
  const processes = readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`=${folder}/turnsole-`)
      );
    } catch {
      return false; // gone
    }
  });
  return [...readdirSync(folder).filter((name) => name.startsWith('turnsole-')), ...processes];
}

describe('kill -9 of a process that has a cluster', { skip: missing ?? false, concurrency: 1 }, () => {
  for (const command of ['run', 'up'] as const) {
    test(`of \`turnsole ${command}\``, async () => {
      await using folder = await temporaryFolder();
      const namespace = `killed-${process.pid}-${command}`;
      const chart = await output(process.execPath, [
        MAIN,
        'faults',
        'chart',
        'pod-network-loss',
        '-n',
        namespace,
      ]);
      const file = join(folder.path, 'scene.yaml');
      const head = `apiVersion: v1\nkind: Namespace\nmetadata: { name: ${namespace} }\n---\n`;
      writeFileSync(file, `${head}${chart}\n---${scene(namespace)}`);
      // Its clusters are in a folder of their own, and so is what is left of them.
      const env = { TMPDIR: folder.path, XDG_STATE_HOME: join(folder.path, 'state') };
      const kubeconfig = join(folder.path, 'kubeconfig');
      await using owner = new TurnsoleProcess(
        command === 'run'
          ? ['run', file, '--isolation', 'full']
          : ['up', '--isolation', 'full', '--name', namespace, '--kubeconfig', kubeconfig],
        env,
      );
      if (command === 'up') {
        await until(() => existsSync(kubeconfig), 'no kubeconfig', PATIENCE_MS);
      }
      await using client =
        command === 'up' ? new TurnsoleProcess(['run', file, '--kubeconfig', kubeconfig], env) : undefined;
      await (client ?? owner).line(/hit container web/);
      assert.equal(journals(namespace).length, 1, 'what is in force is noted on the machine');
      const ended = once(owner.child, 'exit');
      owner.child.kill('SIGKILL');
      await ended;
      client?.child.kill('SIGKILL');
      await until(
        () => journals(namespace).length + leftOf(folder.path).length === 0,
        () => `left: ${[...journals(namespace), ...leftOf(folder.path)].join(', ')}`,
        PATIENCE_MS,
      );
    });
  }
});

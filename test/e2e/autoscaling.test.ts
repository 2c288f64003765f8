/** Chaos and autoscalers, as users meet them: `turnsole run` and `plan` on an embedded cluster. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { PlanDocument } from '../../src/services/plan/plan-document.ts';
import { effectsImpossible } from '../faults/support/fault-cluster.ts';
import { chaosAccount, documents, engine, experiment } from '../support/manifests.ts';
import { type CommandOutcome, temporaryFolder, turnsole } from '../support/turnsole.ts';

const CALM = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: calm, labels: { app: calm } }
spec:
  selector: { matchLabels: { app: calm } }
  template:
    metadata: { labels: { app: calm } }
    spec:
      terminationGracePeriodSeconds: 0
      containers:
        - name: main
          image: busybox
          command: [sleep, '1000']
          resources: { requests: { cpu: 50m } }
`;

const AUTOSCALER = `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: calm }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: calm }
  maxReplicas: 3
  metrics: [{ type: Resource, resource: { name: cpu, target: { type: Utilization, averageUtilization: 50 } } }]
`;

/** The autoscaler's Event tells that it has scaled: not before the chaos, and after it. */
function scaledProbe(mode: 'SOT' | 'EOT', operation: 'absent' | 'present'): string {
  return `{ name: scaled-${mode}, type: k8sProbe, mode: ${mode},
            k8sProbe/inputs: { version: v1, resource: events, namespace: default, operation: ${operation},
              fieldSelector: 'reason=SuccessfulRescale,involvedObject.name=calm' },
            runProperties: { probeTimeout: 5s, interval: 1s, attempt: 1 } }`;
}

async function command(words: readonly string[], texts: readonly string[]): Promise<CommandOutcome> {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'chaos.yaml');
  await writeFile(file, documents(...texts));
  const [name = '', ...more] = words;
  return await turnsole([name, file, ...more]);
}

describe('autoscalers under chaos', { concurrency: 2 }, () => {
  it('a CPU hog makes the autoscaler add replicas', { skip: effectsImpossible }, async () => {
    const probes = `[${scaledProbe('SOT', 'absent')}, ${scaledProbe('EOT', 'present')}]`;
    const hog = { name: 'pod-cpu-hog', env: { CPU_CORES: '1', TOTAL_CHAOS_DURATION: '30' }, probes };
    const { code, stdout, stderr } = await command(
      ['run'],
      [
        CALM,
        AUTOSCALER,
        chaosAccount(),
        experiment('pod-cpu-hog'),
        engine({ label: 'app=calm', experiments: [hog] }),
      ],
    );
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /scaled-EOT/);
  });

  it('the plan of a fault that scales tells of the autoscaler', async () => {
    const scales = { name: 'pod-autoscaler', env: { REPLICA_COUNT: '5', TOTAL_CHAOS_DURATION: '10' } };
    const { code, stdout, stderr } = await command(
      ['plan', '-o', 'json'],
      [
        CALM,
        AUTOSCALER,
        chaosAccount(),
        experiment('pod-autoscaler'),
        engine({ label: 'app=calm', experiments: [scales] }),
      ],
    );
    assert.notEqual(stdout, '', stderr);
    const [planned] = (JSON.parse(stdout) as PlanDocument).engines;
    assert.ok(
      planned?.warnings.some((text) =>
        text.startsWith('HorizontalPodAutoscaler default/calm scales deployment/default/calm as well'),
      ),
      `${code} ${JSON.stringify(planned)}`,
    );
  });
});

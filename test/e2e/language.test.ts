/** The examples of explain, docs/reference and `turnsole new` do what they show. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { KIND_EXAMPLES, PROBE_EXAMPLES } from '../../src/services/language/examples.ts';
import { webApp } from '../support/manifests.ts';
import { temporaryFolder, turnsole } from '../support/turnsole.ts';

const ACCOUNT = `
apiVersion: v1
kind: ServiceAccount
metadata: { name: pod-delete-sa }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: pod-delete-sa }
subjects: [{ kind: ServiceAccount, name: pod-delete-sa, namespace: default }]
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin }
`;

test('engine and experiment run with the probes that need no other server, and the schedule its engine', async () => {
  await using folder = await temporaryFolder();
  const types = ['cmdProbe', 'k8sProbe', 'loadProbe'] as const;
  const more = types.map((type) =>
    PROBE_EXAMPLES[type].replaceAll(/^/gm, '            ').replace('            ', '          - ').trimEnd(),
  );
  const engine = `${KIND_EXAMPLES.ChaosEngine}${more.join('\n')}\n`;
  const file = join(folder.path, 'all.yaml');
  const { ChaosExperiment, ChaosSchedule } = KIND_EXAMPLES;
  await writeFile(file, [webApp(2), ACCOUNT, ChaosExperiment, engine, ChaosSchedule].join('---\n'));
  const { code, stdout, stderr } = await turnsole(['run', '--isolation', 'none', '--no-timeline', file]);
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, /web-pod-delete +pod-delete +Pass +4\/4/);
  assert.match(stdout, /web-every-hour\S* +pod-delete +Pass/);
});

test('explain and new print what is asked, and write an experiment that a plan takes', async () => {
  const explained = await turnsole(['explain', 'httpProbe']);
  assert.match(
    explained.stdout,
    /^ChaosEngine\.spec\.experiments\.spec\.probe\.httpProbe\/inputs\n[\s\S]*url {2}<text> {2}required[\s\S]*Example:/,
  );
  assert.match((await turnsole(['explain', 'pod-delete'])).stdout, /FORCE/);
  const unknown = await turnsole(['explain', 'htpProbe']);
  assert.equal(unknown.code, 2);
  const probe = await turnsole(['new', 'probe', 'loadProbe']);
  assert.match(probe.stdout, /^- name: users\n {2}type: loadProbe\n/);
  assert.match(probe.stderr, /^next: put it into .*; "turnsole explain loadProbe" says/);
  const misspelt = await turnsole(['new', 'probe', 'httpProb']);
  assert.equal(misspelt.code, 2);
  assert.match(misspelt.stderr, /did you mean httpProbe\?/);
  await using folder = await temporaryFolder();
  const [app, saved] = [join(folder.path, 'app.yaml'), join(folder.path, 'chaos', 'new.yaml')];
  await writeFile(app, webApp(2));
  const fault = ['--fault', 'pod-delete', '--target', 'deployment/web', '--save', saved];
  const made = await turnsole(['new', 'experiment', ...fault, app]);
  assert.equal(made.code, 0, made.stderr);
  assert.ok(made.stdout.endsWith(`\nnext: turnsole run ${app} ${saved}`), made.stdout);
  const planned = await turnsole(['plan', '--isolation', 'none', app, saved]);
  assert.equal(planned.code, 0, planned.stdout + planned.stderr);
  const schedule = await turnsole(['new', 'schedule', saved, '--every', '6h']);
  assert.match(schedule.stdout, /kind: ChaosSchedule[\s\S]*everyNthHour: 6/);
  assert.match(schedule.stderr, /^next: write it into a file/);
});

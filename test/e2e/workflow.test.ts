/** `turnsole workflow …` on a cluster that stays, as users of `argo` type it, and a workflow under `turnsole run`. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { phaseText } from '../../src/services/workflows/phase.ts';
import { type CommandOutcome, temporaryFolder, turnsole } from '../support/turnsole.ts';
import { type DetachedCluster, detachedCluster } from '../support/up.ts';

const HEAD = 'apiVersion: argoproj.io/v1alpha1\nkind: Workflow\n';

/** Asks a person, then fails unless its parameter says otherwise. */
const FLAKY = `${HEAD}metadata: { name: flaky }
spec:
  entrypoint: main
  onExit: bye
  arguments: { parameters: [{ name: code, value: 1 }] }
  templates:
    - name: main
      steps:
        - - { name: ask, template: approve }
        - - { name: bad, template: exits, arguments: { parameters: [{ name: who, value: "{{steps.ask.outputs.parameters.who}}" }] } }
    - name: approve
      suspend: {}
      outputs: { parameters: [{ name: who, valueFrom: { supplied: {} } }] }
    - name: exits
      inputs: { parameters: [{ name: who }] }
      container:
        image: busybox
        command: [sh, -c]
        args: ["echo said {{inputs.parameters.who}}; exit {{workflow.parameters.code}}"]
    - name: bye
      container: { image: busybox, command: [echo, bye] }
`;

describe('turnsole workflow', () => {
  let cluster: DetachedCluster;
  before(async () => {
    cluster = await detachedCluster();
    await writeFile(join(cluster.folder, 'flaky.yaml'), FLAKY);
  });
  after(() => cluster[Symbol.asyncDispose]());

  const ask = (...args: string[]): Promise<CommandOutcome> =>
    turnsole(['workflow', ...args, '--kubeconfig', cluster.kubeconfig]);
  /** The output of a command that has to succeed. */
  const say = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await ask(...args);
    assert.equal(code, 0, stderr);
    return stdout;
  };

  it('submits, and shows what waits for a person', async () => {
    const submitted = await say('submit', join(cluster.folder, 'flaky.yaml'));
    assert.equal(submitted, 'Workflow default/flaky was created');
    await waitForObject<Workflow>(
      cluster.client,
      WORKFLOWS,
      'flaky',
      (found) => found !== undefined && phaseText(found) === 'Running (Suspended)',
      { namespace: 'default', timeoutMs: PATIENCE_MS },
    );
    assert.match(await say('list', '--running'), /^NAME +STATUS .*\nflaky +Running \(Suspended\)/);
    assert.match(await say('get', '@latest'), /● flaky +main\n └───ǁ ask +approve/);
    const status = await turnsole(['status', '--kubeconfig', cluster.kubeconfig]);
    assert.match(status.stdout, /^workflow default\/flaky: Running \(Suspended\), 0\/1$/m);
  });

  it('resumes with the output that the node waits for, and not without', async () => {
    const refused = await ask('resume', 'flaky');
    assert.deepEqual(
      [refused.code, /'who' has not been set/.test(refused.stderr)],
      [2, true],
      refused.stderr,
    );
    await say('resume', 'flaky', '--output-parameter', 'who=ann', '--node-field-selector', 'displayName=ask');
    const { code, stdout } = await ask('wait', 'flaky');
    assert.equal(code, 1);
    assert.match(stdout, /^flaky Failed after /);
    assert.match(await say('logs', 'flaky', '--grep', 'said'), /^flaky-exits-\d+: said ann$/);
  });

  it('retries what failed, with another parameter, and nothing else', async () => {
    const refused = await ask('retry', 'flaky', '--restart-successful');
    assert.equal(refused.code, 2, refused.stdout);
    const watched = await say('retry', 'flaky', '-p', 'code=0', '--watch');
    assert.match(watched, /^Workflow default\/flaky goes on; 2 nodes run again\n/);
    assert.match(watched, /workflow flaky: Succeeded$/);
    const tree = await say('get', 'flaky', '--node-field-selector', 'phase=Succeeded');
    assert.match(tree, /✔ flaky +main\n ├───✔ ask .*\n └───✔ bad .*\n\n ✔ flaky\.onExit/);
    const timeline = await turnsole(['timeline', 'flaky', '--kubeconfig', cluster.kubeconfig, '-o', 'json']);
    const steps = (JSON.parse(timeline.stdout) as { readonly step: string }[]).map(({ step }) => step);
    assert.deepEqual([steps[0], steps.at(-1)], ['NodeStarted', 'WorkflowSucceeded']);
    assert.equal((await ask('retry', 'flaky')).code, 2, 'it has succeeded');
  });

  it('resubmits, ends and deletes', async () => {
    const name = await say('resubmit', 'flaky', '-o', 'name');
    assert.match(name, /^flaky-[a-z0-9]{5}$/);
    await say('terminate', name);
    assert.equal((await ask('wait', name)).code, 1);
    assert.match(await say('get', name, '-o', 'short'), / Failed \(Terminated\)$/);
    assert.match(await say('delete', '--all'), /Workflow default\/flaky was deleted/);
    const { stdout, stderr } = await ask('list');
    assert.deepEqual([stdout, stderr.trim()], ['', 'no workflows found']);
  });

  it('keeps templates and CronWorkflows, and submits from them', async () => {
    const library = `apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata: { name: greet }
spec:
  entrypoint: main
  arguments: { parameters: [{ name: who, value: nobody }] }
  templates:
    - name: main
      container: { image: busybox, command: [echo, "hello {{workflow.parameters.who}}"] }
---
apiVersion: argoproj.io/v1alpha1
kind: CronWorkflow
metadata: { name: nightly }
spec: { schedule: "0 2 * * *", workflowSpec: { workflowTemplateRef: { name: greet } } }
`;
    const file = join(cluster.folder, 'library.yaml');
    await writeFile(file, library);
    await say('template', 'create', file);
    await say('cron', 'create', file);
    assert.equal((await ask('template', 'create', file)).code, 2, 'it is there already');
    assert.match(await say('cron', 'list'), /nightly .* never +0 2 \* \* \*/);
    assert.match(
      await say('submit', '--from', 'workflowtemplate/greet', '-p', 'who=ann', '--name', 'g', '--log'),
      /^g: hello ann\ng Succeeded after /m,
    );
    assert.match(
      await say('submit', '--from', 'cronwf/nightly', '--wait'),
      /nightly-[a-z0-9]{5} Succeeded after /,
    );
    const missing = await ask('submit', '--from', 'workflowtemplate/none');
    assert.deepEqual([missing.code, /there is none in namespace default/.test(missing.stderr)], [2, true]);
  });
});

describe('turnsole run with a workflow', () => {
  it('ends with 1 when it fails, and reports its nodes', async () => {
    await using folder = await temporaryFolder();
    const [file, json, junit] = ['w.yaml', 'r.json', 'r.xml'].map((name) => join(folder.path, name));
    assert.ok(file !== undefined && json !== undefined && junit !== undefined);
    const spec = 'spec:\n  entrypoint: main\n  templates:\n';
    const template = '    - { name: main, container: { image: busybox, command: [sh, -c, "exit 3"] } }\n';
    await writeFile(file, `${HEAD}metadata: { generateName: w- }\n${spec}${template}`);
    const { code, stdout, stderr } = await turnsole(['run', file, '--json', json, '--junit', junit]);
    assert.equal(code, 1, stdout + stderr);
    assert.match(stdout, /^default\/w-[a-z0-9]{5} +Failed +0\/1 +\S+ +-\n {2}└ main: Error \(exit code 3\)/m);
    const { workflows } = JSON.parse(await readFile(json, 'utf8'));
    assert.deepEqual([workflows[0].phase, workflows[0].nodes[0].type], ['Failed', 'Pod']);
    const suites = await readFile(junit, 'utf8');
    assert.match(suites, /<failure message="main: Error \(exit code 3\)"\/>/);
    assert.match(
      suites,
      /<testsuite name="workflow default\/w" [\s\S]*<testcase name="w" classname="default.w" /,
    );
  });
});

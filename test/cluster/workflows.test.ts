/** Workflows of LitmusChaos on a cluster, run by the installed controller; and how soon a step follows the one before. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CoreEvent, KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { EVENTS, PODS } from '@turnsole/kube/kinds/resources';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/wait';
import { CRON_WORKFLOWS, WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { CHAOS_ENGINES } from '../../src/api/index.ts';
import { WORKFLOW_CONTROLLER_NAME } from '../../src/services/install/names.ts';
import { kubectlWatch } from '../support/kubectl-watch.ts';
import { gone, logOf, podNodes, resultOf, workflowOver } from '../support/litmus-run.ts';
import { chartWorkflow, studioWorkflow } from '../support/litmus-workflows.ts';
import { applyText, output } from '../support/up.ts';
import { record } from './support/figures.ts';
import { clusterSettings, noCluster } from './support/settings.ts';
import { type App, Shop } from './support/shop.ts';

const stepsTag = clusterSettings()?.stepsTag;
const noSteps = stepsTag === undefined && 'takes images of litmus-checker and k8s: --steps-tag';

describe('workflows on a cluster', { skip: noCluster }, () => {
  let shop: Shop;
  let app: App;
  before(async () => {
    shop = await Shop.open();
    app = await shop.app(2);
  });
  after(async () => {
    if (app !== undefined) await shop.removeApp(app);
    shop?.close();
  });

  const litmus = () => ({
    namespace: shop.namespace,
    app: app.name,
    ...(stepsTag !== undefined && { imageTag: stepsTag }),
  });

  it('one of the web studio and one of a chart run; their engines have verdicts, and they clean up', {
    skip: noSteps,
  }, async () => {
    const names = ['studio', 'chart'].map((kind) => `${kind}-${app.name}`);
    const [studio = '', chart = ''] = names;
    const { kubeconfig } = shop.settings;
    const only = ['wf', '-n', shop.namespace, '--field-selector', `metadata.name=${studio}`];
    await using watched = kubectlWatch(kubeconfig, ...only);
    // The studio's own wait after the installation.
    const asWritten = { ...litmus(), installedSeconds: 30 };
    await applyText(
      shop.client,
      `${studioWorkflow(studio, asWritten)}\n---\n${chartWorkflow(chart, litmus())}`,
    );
    const overs = await Promise.all(names.map((name) => workflowOver(shop.client, name, shop.limited)));
    for (const { metadata, status } of overs) {
      assert.equal(status?.phase, 'Succeeded', `${metadata.name}: ${JSON.stringify(status)}`);
    }
    const install = podNodes(overs[1] as Workflow).get('install-chaos-experiments');
    assert.ok(install !== undefined);
    const result = await resultOf(shop.client, `${chart}-chaos`, shop.namespace);
    assert.equal(result?.status?.experimentStatus?.verdict, 'Pass');
    const { items } = await shop.client.list(CHAOS_ENGINES, shop);
    const left = items.filter(({ metadata }) => names.some((name) => metadata.name.includes(name)));
    assert.deepEqual(left, []);
    const shown = await output('kubectl', [
      '--kubeconfig',
      kubeconfig,
      'get',
      'wf',
      chart,
      '-n',
      shop.namespace,
    ]);
    assert.match(shown, /\bSucceeded\b/);
    const limit = AbortSignal.timeout(shop.limited.timeoutMs);
    const lines = await watched.until(new RegExp(`^${studio} +Succeeded\\b`), limit);
    assert.ok(
      lines.some((line) => new RegExp(`^${studio} +Running\\b`).test(line)),
      lines.join('\n'),
    );
    for (const name of names) {
      await shop.client.delete(WORKFLOWS, name, shop);
      await gone(shop.client, WORKFLOWS, name, shop.limited);
      const labelSelector = `workflows.argoproj.io/workflow=${name}`;
      await waitForList<Pod>(shop.client, PODS, (pods) => pods.length === 0, {
        ...shop.limited,
        labelSelector,
      });
    }
  });

  it('takes no workflow with an instance id of its own', async () => {
    const [foreign, own] = [`foreign-${app.name}`, `own-${app.name}`];
    await applyText(shop.client, chain(foreign, 1, '{ workflows.argoproj.io/controller-instanceid: other }'));
    await applyText(shop.client, chain(own, 1));
    await workflowOver(shop.client, own, shop.limited);
    assert.equal((await shop.client.get<Workflow>(WORKFLOWS, foreign, shop)).status?.phase, undefined);
    for (const name of [foreign, own]) await shop.client.delete(WORKFLOWS, name, shop);
  });

  it('a step follows the one before at once', async () => {
    const name = `chain-${app.name}`;
    const steps = 10;
    const nextMs: number[] = [];
    const watching = new AbortController();
    const done = new Map<string, number>();
    const created = new Map<string, number>();
    const follow = (async () => {
      const labelSelector = `workflows.argoproj.io/workflow=${name}`;
      const options = { namespace: shop.namespace, labelSelector, signal: watching.signal };
      for await (const { type, object } of shop.client.watch<Pod>(PODS, options)) {
        if (type === 'BOOKMARK') continue;
        const pod = object as Pod;
        if (!created.has(pod.metadata.name)) created.set(pod.metadata.name, performance.now());
        const isDone = pod.status?.phase === 'Succeeded' && !done.has(pod.metadata.name);
        if (isDone) done.set(pod.metadata.name, performance.now());
      }
    })().catch((error: unknown) => {
      if (!watching.signal.aborted) throw error;
    });
    await applyText(shop.client, chain(name, steps));
    const { status } = await workflowOver(shop.client, name, shop.limited);
    watching.abort();
    await follow;
    assert.equal(status?.phase, 'Succeeded', JSON.stringify(status));
    const ends = [...done.values()].sort((a, b) => a - b);
    const starts = [...created.values()].sort((a, b) => a - b);
    assert.equal(starts.length, steps);
    for (let step = 1; step < steps; step += 1) nextMs.push((starts[step] ?? 0) - (ends[step - 1] ?? 0));
    nextMs.sort((a, b) => a - b);
    const p50 = nextMs[Math.floor(nextMs.length / 2)] ?? 0;
    for (const ms of nextMs) record({ title: 'workflow: step done → next pod created', ms, barMs: 1000 });
    assert.ok(p50 <= 1000, `step done → next pod: ${nextMs.map(Math.round).join(', ')} ms`);
    await shop.client.delete(WORKFLOWS, name, shop);
  });

  it('goes on when its controller is ended in the middle', async () => {
    const name = `handed-${app.name}`;
    await applyText(shop.client, chain(name, 4));
    const isUnderWay = (found: Workflow | undefined): boolean =>
      podNodes(found ?? ({} as Workflow)).size >= 2;
    await waitForObject<Workflow>(shop.client, WORKFLOWS, name, isUnderWay, shop.limited);
    const { namespace } = shop.settings;
    const labelSelector = `app=workflow-controller,app.kubernetes.io/component=workflow-controller`;
    const { items } = await shop.client.list<KubeObject>(PODS, { namespace, labelSelector });
    assert.ok(items.some(({ metadata }) => metadata.name.startsWith(WORKFLOW_CONTROLLER_NAME)));
    for (const { metadata } of items) {
      await shop.client.delete(PODS, metadata.name, { namespace, gracePeriodSeconds: 0 });
    }
    const { status } = await workflowOver(shop.client, name, shop.limited);
    assert.equal(status?.phase, 'Succeeded', JSON.stringify(status));
    assert.equal(podNodes({ status } as Workflow).size, 4);
    await shop.client.delete(WORKFLOWS, name, shop);
  });

  it('has the rights it needs: outputs of steps come to later ones, a CronWorkflow starts workflows, Events are told', async () => {
    const { image, pullPolicy } = shop.settings;
    const [passing, nightly] = [`passing-${app.name}`, `nightly-${app.name}`];
    const container = `image: "${image}", imagePullPolicy: ${pullPolicy}, command: [sh, -c]`;
    const spec = `
  entrypoint: main
  templates:
    - name: main
      steps:
        - [{ name: make, template: make }]
        - - name: use
            template: use
            arguments: { parameters: [{ name: word, value: "{{steps.make.outputs.parameters.word}} {{steps.make.outputs.result}}" }] }
    - name: make
      outputs: { parameters: [{ name: word, valueFrom: { path: /tmp/word } }] }
      container: { ${container}, args: ["printf one > /tmp/word; echo two"] }
    - name: use
      inputs: { parameters: [{ name: word }] }
      container: { ${container}, args: ['test "{{inputs.parameters.word}}" = "one two"'] }
`;
    const head = (kind: string, name: string): string =>
      `apiVersion: argoproj.io/v1alpha1\nkind: ${kind}\nmetadata: { name: ${name}, namespace: ${shop.namespace} }\n`;
    await applyText(shop.client, `${head('Workflow', passing)}spec:${spec}`);
    const over = await workflowOver(shop.client, passing, shop.limited);
    assert.equal(over.status?.phase, 'Succeeded', JSON.stringify(over.status));
    const hasSuccess = (events: readonly CoreEvent[]): boolean =>
      events.some(
        ({ reason, involvedObject }) => reason === 'WorkflowSucceeded' && involvedObject.name === passing,
      );
    await waitForList<CoreEvent>(shop.client, EVENTS, hasSuccess, shop.limited);

    const inner = spec.replaceAll('\n', '\n  ');
    await applyText(
      shop.client,
      `${head('CronWorkflow', nightly)}spec:\n  schedule: "* * * * *"\n  workflowSpec:${inner}`,
    );
    const labelSelector = `workflows.argoproj.io/cron-workflow=${nightly}`;
    const isOver = (all: readonly Workflow[]): boolean =>
      all.some(({ status }) => status?.phase === 'Succeeded');
    await waitForList<Workflow>(shop.client, WORKFLOWS, isOver, { ...shop.limited, labelSelector });
    await shop.client.delete(CRON_WORKFLOWS, nightly, shop);
    await waitForList<Workflow>(shop.client, WORKFLOWS, (all) => all.length === 0, {
      ...shop.limited,
      labelSelector,
    });
    await shop.client.delete(WORKFLOWS, passing, shop);
  });

  it('shows what its pods have printed', async () => {
    const name = `log-${app.name}`;
    await applyText(shop.client, chain(name, 1));
    const over = await workflowOver(shop.client, name, shop.limited);
    const [node] = [...podNodes(over).values()];
    assert.ok(node !== undefined);
    const { items } = await shop.client.list<Pod>(PODS, {
      namespace: shop.namespace,
      labelSelector: `workflows.argoproj.io/workflow=${name}`,
    });
    assert.equal(
      await logOf(shop.client, { ...node, id: items[0]?.metadata.name ?? '' }, shop.namespace),
      'step',
    );
    await shop.client.delete(WORKFLOWS, name, shop);
  });

  /** So many steps, one after the other. */
  function chain(name: string, steps: number, labels = '{}'): string {
    const { image, pullPolicy } = shop.settings;
    const groups = Array.from({ length: steps }, (_, step) => `[{ name: s${step}, template: say }]`);
    return `
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: ${name}, namespace: ${shop.namespace}, labels: ${labels} }
spec:
  entrypoint: main
  templates:
    - name: main
      steps: [${groups.join(', ')}]
    - name: say
      container: { image: "${image}", imagePullPolicy: ${pullPolicy}, command: [sh, -c], args: [echo step] }
`;
  }
});

/** The program in a pod: its command line, two of it at once, and its end. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { silentLogger } from '@turnsole/kube/base/log';
import type { Lease } from '@turnsole/kube/kinds/core';
import { LEASES } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/index';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { startWorkflowCluster, type WorkflowCluster } from '../../../test/support/workflow-cluster.ts';
import { runWorkflowController } from './run-workflow-controller.ts';

const QUIET = ['-metrics-bind-address=0', '-health-probe-bind-address=0'];

let cluster: WorkflowCluster;
before(async () => {
  cluster = await startWorkflowCluster();
});
after(() => cluster.close());

test('a wrong command line ends it at once, with what is wrong', async () => {
  const lines: string[] = [];
  const logger = {
    ...silentLogger,
    error: (...line: unknown[]) => lines.push(JSON.stringify(line)),
  } as never;
  assert.equal(await runWorkflowController(['--workflow-workers', 'many'], {}, { logger }), 2);
  assert.match(lines.join(), /workflow-workers: \\"many\\"/);
  assert.equal(await runWorkflowController([], { POD_NAMES: 'v3' }, { logger }), 2);
  assert.match(lines.join(), /POD_NAMES is \\"v3\\"; it may be v1 or v2/);
});

test('of two, one leads; when it ends the other goes on', async () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const config = { ...cluster.config, namespace: 'default' };
  const start = ({ signal }: AbortController): Promise<number> =>
    runWorkflowController([...QUIET, '-leader-elect'], {}, { config, signal, logger: silentLogger });
  const runs = [start(first)];
  const held = (lease: Lease | undefined): boolean => (lease?.spec?.holderIdentity ?? '') !== '';
  const lease = await waitForObject<Lease>(cluster.client, LEASES, 'workflow-controller', held, {
    namespace: 'default',
    timeoutMs: PATIENCE_MS,
  });
  runs.push(start(second));
  const spec =
    '{entrypoint: main, templates: [{name: main, container: {image: busybox, command: [sh], args: [run, "300"]}}]}';
  await cluster.submit('led', spec);
  await cluster.when('led', ({ status }) => status?.phase === 'Running');
  first.abort();
  assert.equal(await runs[0], 0);
  const { status } = await cluster.over('led');
  assert.equal(status?.phase, 'Succeeded');
  const next = await cluster.client.get<Lease>(LEASES, 'workflow-controller', { namespace: 'default' });
  assert.notEqual(next.spec?.holderIdentity, lease?.spec?.holderIdentity);
  assert.equal((await cluster.pods('led')).length, 1);
  second.abort();
  assert.equal(await runs[1], 0);
});

test('a controller with an instance id names pods like their nodes, as LitmusChaos looks for them, unless POD_NAMES says otherwise', async () => {
  const spec =
    '{entrypoint: main, templates: [{name: main, steps: [[{name: a, template: one}]]}, {name: one, container: {image: busybox}}]}';
  const formatOf = async (id: string, env: Record<string, string>): Promise<string> => {
    const end = new AbortController();
    const config = { ...cluster.config, namespace: 'default' };
    const ended = runWorkflowController([...QUIET, `-instanceid=${id}`], env, {
      ...{ config, signal: end.signal, logger: silentLogger },
    });
    const name = `named-by-${id}`;
    await cluster.submit(name, spec, { labels: { 'workflows.argoproj.io/controller-instanceid': id } });
    const { status } = await cluster.over(name);
    const [pod] = await cluster.pods(name);
    const node = Object.values(status?.nodes ?? {}).find(({ type }) => type === 'Pod');
    end.abort();
    assert.equal(await ended, 0);
    return pod?.metadata.name === node?.id ? 'v1' : 'v2';
  };
  assert.equal(await formatOf('litmus', {}), 'v1');
  assert.equal(await formatOf('own', { POD_NAMES: 'v2' }), 'v2');
});

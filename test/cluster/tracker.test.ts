/** The installed event tracker on a cluster: rollouts as its controllers make them, and trackers that go. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Deployment, Pod } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, PODS } from '@turnsole/kube/kinds/resources';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/wait';
import { WORKFLOW_TEMPLATES, WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { EVENT_TRACKER_POLICIES, type EventTrackerPolicy, LABEL_TRIGGER } from '../../src/api/index.ts';
import { EVENT_TRACKER_NAME } from '../../src/services/install/names.ts';
import { noCluster } from './support/settings.ts';
import { type App, LIMIT_MS, Shop } from './support/shop.ts';

const SELECTOR = 'app.kubernetes.io/name=turnsole,app.kubernetes.io/component=event-tracker';

describe('the event tracker on a cluster', { skip: noCluster }, () => {
  let shop: Shop;
  let app: App;
  let name: string;
  before(async () => {
    shop = await Shop.open();
    app = await shop.app(2);
    name = `tracker-${app.name}`;
  });
  after(async () => {
    if (name !== undefined) {
      const { namespace } = shop.settings;
      await shop.client.delete(EVENT_TRACKER_POLICIES, name, { namespace }).catch(() => {});
      await shop.client.delete(WORKFLOW_TEMPLATES, name, { namespace }).catch(() => {});
      for (const { metadata } of await started())
        await shop.client.delete(WORKFLOWS, metadata.name, { namespace });
      await shop.removeApp(app);
    }
    shop?.close();
  });

  /** Where policies are, and what they start. */
  const own = () => ({ namespace: shop.settings.namespace, timeoutMs: LIMIT_MS });
  const key = () => `Deployment/${shop.namespace}/${app.name}`;

  const untilPolicy = (
    isSo: (policy: EventTrackerPolicy) => boolean,
  ): Promise<EventTrackerPolicy | undefined> =>
    waitForObject<EventTrackerPolicy>(
      shop.client,
      EVENT_TRACKER_POLICIES,
      name,
      (policy) => policy !== undefined && isSo(policy),
      own(),
    );

  /** Workflows that this test's policy has started. */
  async function started(): Promise<readonly Workflow[]> {
    const { items } = await shop.client.list<Workflow>(WORKFLOWS, { ...own(), labelSelector: LABEL_TRIGGER });
    return items.filter(({ metadata }) => metadata.name.startsWith(name.slice(0, 40)));
  }

  /** Makes a rollout, and waits for its end. */
  async function rollOut(version: string): Promise<void> {
    const template = { metadata: { annotations: { version } } };
    const { metadata } = await shop.client.patch<Deployment>(
      DEPLOYMENTS,
      app.name,
      'merge',
      { spec: { template } },
      shop,
    );
    const isOver = (found: Deployment | undefined): boolean =>
      (found?.status?.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
      found?.status?.updatedReplicas === 2 &&
      found.status.replicas === 2 &&
      found.status.availableReplicas === 2;
    await waitForObject<Deployment>(shop.client, DEPLOYMENTS, app.name, isOver, shop.limited);
  }

  const policy = (operator: string): never =>
    // A policy as users write it, also a wrong one.
    ({
      apiVersion: 'eventtracker.litmuschaos.io/v1',
      kind: 'EventTrackerPolicy',
      metadata: { name },
      spec: {
        condition_type: 'or',
        conditions: [
          { key: 'spec.template.metadata.annotations.version', operator },
          { key: 'status.updatedReplicas', operator },
        ],
        start: { kind: 'WorkflowTemplate', name },
      },
    }) as never;

  it('a bad policy is refused by the API server, by field', async () => {
    await assert.rejects(
      shop.client.create(EVENT_TRACKER_POLICIES, policy('Changes'), own()),
      // Kubernetes 1.20 leaves out which of a list it is.
      /spec\.conditions(\[0\])?\.operator.*"Changes"/,
    );
  });

  it('a rollout triggers once, and starts what the policy names', async () => {
    const template = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'WorkflowTemplate',
      metadata: { name },
      spec: { entrypoint: 'main', templates: [{ name: 'main', suspend: { duration: '1' } }] },
    };
    await shop.client.create(WORKFLOW_TEMPLATES, template, own());
    await shop.client.create(EVENT_TRACKER_POLICIES, policy('Change'), own());
    const annotations = { 'litmuschaos.io/gitops': 'true' };
    await shop.client.patch(DEPLOYMENTS, app.name, 'merge', { metadata: { annotations } }, shop);
    await untilPolicy(({ status }) => key() in (status?.tracked ?? {}));
    await rollOut('1');
    // The rollout is over for the tracker as well when it has forgotten it.
    const after = await untilPolicy(
      ({ status }) => status?.tracked?.[key()]?.rollout === undefined && status?.count === 1,
    );
    assert.equal(after?.status?.triggers?.length, 1);
    await untilPolicy(({ status }) => status?.triggers?.[0]?.state === 'Started');
    const [workflow, ...others] = await started();
    assert.deepEqual(others, []);
    assert.equal(workflow?.metadata.labels?.[LABEL_TRIGGER], after?.status?.triggers?.[0]?.id);
    const isOver = (found: Workflow | undefined): boolean => found?.status?.phase === 'Succeeded';
    await waitForObject<Workflow>(shop.client, WORKFLOWS, workflow?.metadata.name ?? '', isOver, own());
  });

  it('a change while no tracker runs is found by the next one', async () => {
    const { namespace } = own();
    const scale = (replicas: number): Promise<unknown> =>
      shop.client.patch(DEPLOYMENTS, EVENT_TRACKER_NAME, 'merge', { spec: { replicas } }, { namespace });
    await scale(0);
    try {
      const limits = { ...own(), labelSelector: SELECTOR };
      await waitForList<Pod>(shop.client, PODS, (pods) => pods.length === 0, limits);
      await rollOut('2');
    } finally {
      await scale(2);
    }
    const found = await untilPolicy(
      ({ status }) => (status?.triggers ?? []).filter(({ state }) => state === 'Started').length === 2,
    );
    assert.equal(found?.status?.count, 2);
    assert.equal((await started()).length, 2);
  });
});

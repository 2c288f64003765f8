import assert from 'node:assert/strict';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, SECRETS } from '@turnsole/kube/kinds/resources';
import { until } from '@turnsole/kube/testing/until';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { studioWorkflow } from '../../support/litmus-workflows.ts';
import { applyText } from '../../support/up.ts';
import { PageConnection } from '../page/connection.ts';
import { DOCUMENTS, type RecordedDocument } from '../page/documents.ts';
import type { Client } from './client.ts';
import type { ControlPlane } from './control-plane.ts';

const NAMESPACE = 'litmus';
const VERSION = '3.31.0';
const SUBSCRIBER = 'subscriber';
const TRACKER = 'event-tracker';
const SCHEDULE = 'schedules: ["* * * * *"]';

interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

interface Registered {
  readonly registerInfra: { readonly infraID: string; readonly manifest: string };
}

const REGISTER = `mutation($p: ID!, $r: RegisterInfraRequest!) {
  registerInfra(projectID: $p, request: $r, flavour: litmus) { infraID manifest } }`;
const SAVE =
  'mutation($p: ID!, $r: SaveChaosExperimentRequest!) { saveChaosExperiment(projectID: $p, request: $r) }';
const RUN =
  'mutation($p: ID!, $e: String!) { runChaosExperiment(experimentID: $e, projectID: $p) { notifyID } }';
const STOP = 'mutation($p: ID!, $e: String!) { stopExperimentRuns(experimentID: $e, projectID: $p) }';
const DELETE = 'mutation($p: ID!, $e: String!) { deleteChaosExperiment(experimentID: $e, projectID: $p) }';
const CRON = `mutation($p: ID!, $e: String!, $d: Boolean!) {
  updateCronExperimentState(experimentID: $e, disable: $d, projectID: $p) }`;

/** LitmusChaos' agent, in ChaosCenter's own Deployments of it; operator and workflow controller are Turnsole's. */
export const LITMUS_AGENT: Client = {
  name: 'litmus-agent',
  programs: [SUBSCRIBER, TRACKER],
  unable: () =>
    process.getuid?.() === 0
      ? undefined
      : 'its programs find their token in pods with files of their own only: root on Linux',
  covers:
    'subscriber: confirm, connect, runs to Completed, stop, delete, cron with suspend, namespaces, objects, logs, a server that is killed; event tracker: policy, trigger',
  version: ({ programs }) => programs.notedVersion(SUBSCRIBER),
  async run({ stage, program, checks }) {
    const plane = await stage.controlPlane();
    const image = (name: string): string[] => [
      '--image',
      `litmuschaos/litmusportal-${name}:${VERSION}=${program(name)}`,
    ];
    const { client } = await stage.cluster([...image(SUBSCRIBER), ...image(TRACKER)]);
    const p = plane.projectID;
    await plane.ask(
      'mutation($p: ID!, $r: CreateEnvironmentRequest) { createEnvironment(projectID: $p, request: $r) { name } }',
      {
        ...{ p, r: { environmentID: 'agents', name: 'agents', type: 'NON_PROD' } },
      },
    );
    const place = { infraNamespace: NAMESPACE, serviceAccount: 'litmus', infraScope: 'cluster' };
    const infra = {
      ...place,
      name: 'agent',
      environmentID: 'agents',
      infrastructureType: 'Kubernetes',
      platformName: 'Others',
    };
    const { infraID, manifest } = (await plane.ask<Registered>(REGISTER, { p, r: infra })).registerInfra;

    await checks.expected('confirm and connect', async () => {
      await applyText(client, manifest);
      assert.equal(await plane.activeInfra(), infraID);
      const secret = await client.get(SECRETS, 'subscriber-secret', { namespace: NAMESPACE });
      assert.notEqual((secret as Secret | undefined)?.data?.ACCESS_KEY, undefined);
    });
    await stage.application('web', NAMESPACE);
    const save = async (
      name: string,
      seconds: number,
      change = (text: string): string => text,
    ): Promise<void> => {
      const text = change(
        studioWorkflow(name, { namespace: NAMESPACE, app: 'web', instanceId: infraID }, seconds),
      );
      const type = text.includes('kind: CronWorkflow') ? 'CronExperiment' : 'Experiment';
      const request = { id: name, type, name, description: '', manifest: text, infraID, tags: [] };
      await plane.ask(SAVE, { p, r: request });
    };
    const completes = async (name: string): Promise<void> => {
      await plane.ask(RUN, { p, e: name });
      await plane.runID(name, ({ phase, resiliencyScore, faultsPassed, totalFaults }) => {
        assert.ok(!['Error', 'Timeout', 'Terminated'].includes(phase), phase);
        return phase === 'Completed' && resiliencyScore === 100 && faultsPassed === 1 && totalFaults === 1;
      });
    };
    await checks.expected('a run to Completed, 100 %', async () => {
      await save('first', 5);
      await completes('first');
    });

    const page = new PageConnection(plane);
    page.token = plane.token;
    const answers = async (field: string, request: object): Promise<string> => {
      const document = DOCUMENTS.find((one) => one.field === field) as RecordedDocument;
      return JSON.stringify(await page.subscribe(document, { request: { infraID, ...request } }));
    };
    await checks.expected('namespaces', async () => {
      assert.match(await answers('getKubeNamespace', {}), /"litmus"/);
    });
    await checks.expected('objects of the cluster', async () => {
      const kubeObjRequest = { group: 'apps', version: 'v1', resource: 'deployments' };
      const request = { kubeObjRequest, namespace: NAMESPACE, objectType: 'kubeobject' };
      assert.match(await answers('getKubeObject', request), /"name":"web"/);
    });
    await checks.expected('stop, and logs of what runs', async () => {
      await save('long', 300);
      await plane.ask(RUN, { p, e: 'long' });
      const runID = await plane.runID('long', ({ phase }) => phase === 'Running');
      let log = '';
      await until(
        async () => {
          const pods = await plane.podsOf(runID);
          for (const podName of pods) {
            const request = { experimentRunID: runID, podName, podNamespace: NAMESPACE, podType: 'Pod' };
            log = await answers('getPodLog', request);
          }
          return pods.length > 0 && /main/.test(log);
        },
        () => `the log is ${log}`,
      );
      await plane.ask(STOP, { p, e: 'long' });
      await plane.runID('long', ({ phase }) => phase === 'Stopped');
    });
    const workflowsOf = async (name: string): Promise<readonly string[]> => {
      const { items } = await client.list(WORKFLOWS, { namespace: NAMESPACE });
      return items.map(({ metadata }) => metadata.name ?? '').filter((one) => one.startsWith(name));
    };
    await checks.expected('delete', async () => {
      await plane.ask(DELETE, { p, e: 'long' });
      await until(async () => (await workflowsOf('long')).length === 0, 'its workflow is still there');
    });
    await checks.expected('a schedule, and its end', async () => {
      await save('each-minute', 5, onSchedule);
      await plane.ask(RUN, { p, e: 'each-minute' });
      await plane.runID('each-minute', ({ phase }) => phase === 'Completed', 240_000);
      await plane.ask(CRON, { p, e: 'each-minute', d: true });
    });
    await checks.expected('a server that is killed: the agent connects again, and runs', async () => {
      await plane.killAndRestart();
      await until(
        async () => (await isActive(plane, infraID)) === true,
        'the agent has not connected again',
        240_000,
      );
      await completes('first');
    });
    await checks.expected(
      'event tracker: a change of a workload is found, and its trigger recorded',
      async () => {
        await applyText(client, policy());
        const deployment = await client.get(DEPLOYMENTS, 'web', { namespace: NAMESPACE });
        assert.ok(deployment);
        const annotations = { 'litmuschaos.io/gitops': 'true', 'litmuschaos.io/experimentId': 'first' };
        const patch = (body: object) =>
          client.patch(DEPLOYMENTS, 'web', 'merge', body, { namespace: NAMESPACE });
        await patch({ metadata: { annotations } });
        await patch({ spec: { replicas: 2 } });
        await until(async () => {
          const path = `/apis/eventtracker.litmuschaos.io/v1/namespaces/${NAMESPACE}/eventtrackerpolicies/scaled`;
          const { statuses = [] } = await client.raw<{ statuses?: readonly object[] }>('GET', path);
          return statuses.length > 0;
        }, 'the policy has no status');
      },
    );
  },
};

async function isActive(plane: ControlPlane, infraID: string): Promise<boolean> {
  try {
    return (await plane.activeInfra()) === infraID;
  } catch {
    return false;
  }
}

function onSchedule(workflow: string): string {
  const [head = '', rest = ''] = workflow.split('\nspec:\n');
  const spec = (rest.split('\nstatus:')[0] ?? '').split('\n').map((line) => `  ${line}`);
  return [
    head.replace('kind: Workflow', 'kind: CronWorkflow'),
    `spec:\n  ${SCHEDULE}\n  concurrencyPolicy: Forbid\n  workflowSpec:`,
    ...spec,
  ].join('\n');
}

function policy(): string {
  return `
apiVersion: eventtracker.litmuschaos.io/v1
kind: EventTrackerPolicy
metadata: { name: scaled, namespace: ${NAMESPACE} }
spec:
  condition_type: and
  conditions:
    - { key: spec.replicas, operator: GreaterThan, value: "1" }
`;
}

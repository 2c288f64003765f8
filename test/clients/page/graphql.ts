import assert from 'node:assert/strict';
import { until } from '@turnsole/kube/testing/until';
import { DEFAULT_HUB_ID } from '../../../src/controlplane/hub/default-hub.ts';
import { studioWorkflow } from '../../support/litmus-workflows.ts';
import type { Checks } from '../suite/client.ts';
import type { GraphqlAnswer, PageConnection } from './connection.ts';
import { DOCUMENTS, type RecordedDocument } from './documents.ts';

/** What is there before: an agent that is connected, and an application for its faults. */
export interface PageScene {
  readonly projectID: string;
  readonly infraID: string;
  /** A Git repository with a hub, and one for GitOps. */
  readonly hubURL: string;
  readonly gitOpsURL: string;
  /** Label `app` of the application, in the namespace `litmus`. */
  readonly app: string;
}

/** What later requests need of the answers to earlier ones. */
interface Found {
  hubID: string;
  registryID: string;
  newInfraID: string;
  notifyID: string;
  runID: string;
  pod: string;
}

const EXPERIMENT = { id: 'page-experiment', name: 'page-experiment' };
const CRON = { id: 'page-cron', name: 'page-cron' };
/** Longer than the requests that are sent while it runs. */
const RUN_SECONDS = 120;
const TIMES = {
  probeTimeout: '2s',
  interval: '1s',
  attempt: 1,
  probePollingInterval: '1s',
  initialDelay: '0s',
};
const COMPARED = { type: 'int', value: '0', criteria: '==' };

/** Sends every document that was recorded, in the order in which a user comes by them. */
export async function allDocuments(page: PageConnection, scene: PageScene, checks: Checks): Promise<void> {
  const { projectID, infraID } = scene;
  const found: Found = { hubID: '', registryID: '', newInfraID: '', notifyID: '', runID: '', pod: '' };
  const left = new Set(DOCUMENTS);
  const send = async (document: RecordedDocument, variables: object): Promise<unknown> => {
    const given = ofDocument(document, { projectID, ...variables });
    const answer: GraphqlAnswer =
      document.kind === 'subscription'
        ? await page.subscribe(document, given)
        : await page.ask(document, given);
    assert.equal(answer.errors, undefined, JSON.stringify(answer));
    const value = answer.data?.[document.field];
    assert.ok(value !== undefined && value !== null, JSON.stringify(answer));
    return value;
  };
  /** All documents of a field, or those of it that `which` takes. Returns what the last of them brought. */
  const all = async (
    field: string,
    variables: (document: RecordedDocument) => object = () => ({}),
    which: (document: RecordedDocument) => boolean = () => true,
  ): Promise<Record<string, unknown>> => {
    let value: unknown;
    for (const document of DOCUMENTS.filter((one) => one.field === field && left.has(one) && which(one))) {
      left.delete(document);
      await checks.expected(`${document.kind} ${document.name}`, async () => {
        value = await send(document, variables(document));
      });
    }
    return (value ?? {}) as Record<string, unknown>;
  };
  const again = (field: string, variables: object): Promise<unknown> => {
    const document = DOCUMENTS.find((one) => one.field === field);
    assert.ok(document, field);
    return send(document, variables);
  };

  const environment = { environmentID: 'page', name: 'page', description: '', tags: [], type: 'NON_PROD' };
  await all('createEnvironment', () => ({ request: environment }));
  await all('getEnvironment', () => environment);
  await all('updateEnvironment', () => ({ request: { ...environment, name: 'page2' } }));
  await all('listEnvironments', () => ({ request: { environmentIDs: ['page'] } }));
  await all('registerInfra', () => ({ request: newInfra() }));
  await all('listInfras', () => ({ request: { filter: {}, pagination: { page: 0, limit: 15 } } }));
  found.newInfraID = await idOf(() => again('listInfras', { request: {} }), 'infras', 'infraID', infraID);
  await all('getInfraManifest', () => ({ infraID: found.newInfraID, upgrade: false }));
  await all('getVersionDetails');
  await all('getInfraStats');
  await all('deleteInfra', () => ({ infraID: found.newInfraID }));

  await all('generateSSHKey');
  await all('addChaosHub', () => ({ request: hub(scene) }));
  const hubs = (await all('listChaosHub', () => ({ request: {} }))) as unknown as {
    id: string;
    name: string;
  }[];
  found.hubID = hubs.find?.(({ name }) => name === 'page-hub')?.id ?? '';
  await all('updateChaosHub', () => ({ request: { ...hub(scene), id: found.hubID, description: 'new' } }));
  await all('syncChaosHub', () => ({ id: found.hubID }));
  await all('getChaosHubStats');
  await all('listChaosFaults', () => ({ hubID: DEFAULT_HUB_ID }));
  const fault = { category: 'kubernetes', experimentName: 'pod-delete', hubID: DEFAULT_HUB_ID };
  await all('getChaosFault', () => ({ request: fault }));
  await all('listPredefinedExperiments', () => ({ hubID: DEFAULT_HUB_ID }));
  await all('getPredefinedExperiment', () => ({ hubID: DEFAULT_HUB_ID, experiments: [] }));
  await all('deleteChaosHub', () => ({ hubID: found.hubID }));

  const registry = await all('createImageRegistry', () => ({ imageRegistryInfo: imageRegistry() }));
  found.registryID = String(registry.imageRegistryID ?? '');
  const kept = await all('getImageRegistry');
  found.registryID ||= String(kept.imageRegistryID ?? '');
  await all('updateImageRegistry', () => ({
    ...{ imageRegistryID: found.registryID, imageRegistryInfo: imageRegistry() },
  }));

  const nameOf = ({ name }: RecordedDocument): string =>
    name.startsWith('add') ? name.toLowerCase() : 'addk8sprobe';
  await all('validateUniqueProbe', () => ({ probeName: 'page-probe' }));
  await all('addProbe', (document) => ({ request: probe(nameOf(document)) }));
  const probeNames = ['addkuberneteshttpprobe', 'addkubernetescmdprobe', 'addpromprobe', 'addk8sprobe'];
  await all('listProbes', () => ({ probeNames, infrastructureType: 'Kubernetes', filter: { name: '' } }));
  await all('getProbe', ({ selects }) => ({
    probeName: probeNames.find((name) => isAskedFor(name, selects)),
  }));
  await all('getProbeYAML', () => ({ request: { probeName: 'addk8sprobe', mode: 'SOT' } }));
  await all('getProbeReference', () => ({ probeName: 'addk8sprobe' }));
  await all('updateProbe', () => ({ request: { ...probe('addk8sprobe'), description: 'new' } }));
  await all('deleteProbe', () => ({ probeName: 'addk8sprobe' }));

  await all('saveChaosExperiment', () => ({ request: experimentOf(EXPERIMENT, scene, false) }));
  await again('saveChaosExperiment', { request: experimentOf(CRON, scene, true) });
  const list = { request: { pagination: { page: 0, limit: 15 }, filter: {}, sort: { field: 'TIME' } } };
  const { id: experimentID } = EXPERIMENT;
  await all('getExperiment', () => ({ experimentID }));
  await all('updateCronExperimentState', () => ({ experimentID: CRON.id, disable: true }));
  const run = await all('runChaosExperiment', () => ({ experimentID }));
  found.notifyID = String(run.notifyID ?? '');
  const running = await runningPod(() => again('getExperimentRun', { notifyID: found.notifyID }));
  [found.runID, found.pod] = [running.runID, running.pod];
  await all('getExperimentRun', () => ({ experimentRunID: found.runID }));
  await all('listExperiment', () => list);
  await all('listExperimentRun', () => list);
  const inRun = { experimentRunID: found.runID, faultName: running.fault };
  await all('getProbesInExperimentRun', () => inRun);
  await all('getExperimentStats');
  await all('getExperimentRunStats');
  const objects = { kubeObjRequest: { group: 'apps', version: 'v1', resource: 'deployments' } };
  await all('getKubeNamespace', () => ({ request: { infraID } }));
  await all('getKubeObject', () => ({
    request: { infraID, ...objects, namespace: 'litmus', objectType: 'kubeobject' },
  }));
  const pod = { podName: found.pod, podNamespace: 'litmus', podType: 'Pod' };
  await all('getPodLog', () => ({ request: { infraID, experimentRunID: found.runID, ...pod } }));
  const hasRun = ({ variables }: RecordedDocument): boolean => variables.includes('experimentRunID');
  await all('stopExperimentRuns', () => ({ experimentID, experimentRunID: found.runID }), hasRun);
  await until(
    async () => (await phaseOf(() => again('getExperimentRun', { notifyID: found.notifyID }))) === 'Stopped',
    `the run ${found.runID} was not stopped`,
  );
  const second = (await again('runChaosExperiment', { experimentID })) as { notifyID: string };
  await runningPod(() => again('getExperimentRun', second));
  await all('stopExperimentRuns', () => ({ experimentID }));
  await until(
    async () => (await phaseOf(() => again('getExperimentRun', second))) === 'Stopped',
    'the second run was not stopped',
  );
  await all('deleteChaosExperiment', () => ({ experimentID }));
  await again('deleteChaosExperiment', { experimentID: CRON.id });

  const gitOps = { branch: 'main', repoURL: scene.gitOpsURL, authType: 'NONE' };
  await all('enableGitOps', () => ({ configurations: gitOps }));
  await all('getGitOpsDetails');
  await all('updateGitOps', () => ({ configurations: gitOps }));
  await all('disableGitOps');
  await all('deleteEnvironment', () => environment);
  await checks.expected('every document was sent', () => {
    assert.deepEqual(
      [...left].map(({ name }) => name),
      [],
    );
  });
}

/** Those of the variables that the document has. */
function ofDocument({ variables }: RecordedDocument, given: object): object {
  const names = [...variables.matchAll(/\$(\w+):/g)].map(([, name = '']) => name);
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));
}

function newInfra(): object {
  return {
    ...{ name: 'page-infra', environmentID: 'page', infrastructureType: 'Kubernetes', description: '' },
    ...{ platformName: 'Others', infraScope: 'cluster', infraNamespace: 'other', serviceAccount: 'litmus' },
    ...{ infraNsExists: false, infraSaExists: false, skipSsl: false, tags: [] },
  };
}

function hub({ hubURL }: PageScene): object {
  return {
    ...{ name: 'page-hub', description: '', tags: [], repoURL: hubURL, repoBranch: 'main', remoteHub: '' },
    ...{ isPrivate: false, authType: 'NONE', token: '', userName: '', password: '' },
    ...{ sshPrivateKey: '', sshPublicKey: '' },
  };
}

function imageRegistry(): object {
  return {
    ...{ isDefault: true, imageRegistryName: 'docker.io', imageRepoName: 'litmuschaos' },
    ...{ imageRegistryType: 'public', secretName: '', secretNamespace: '', enableRegistry: true },
  };
}

function probe(name: string): object {
  const common = { name, description: '', tags: [], infrastructureType: 'Kubernetes' };
  if (name.includes('http')) {
    const method = { get: { criteria: '==', responseCode: '200' } };
    const kubernetesHTTPProperties = { ...TIMES, url: 'http://web.litmus:8080', method };
    return { ...common, type: 'httpProbe', kubernetesHTTPProperties };
  }
  if (name.includes('cmd')) {
    const kubernetesCMDProperties = { ...TIMES, command: 'true', comparator: COMPARED };
    return { ...common, type: 'cmdProbe', kubernetesCMDProperties };
  }
  if (name.includes('prom')) {
    const promProperties = { ...TIMES, endpoint: 'http://prometheus', query: 'up', comparator: COMPARED };
    return { ...common, type: 'promProbe', promProperties };
  }
  const k8sProperties = {
    ...TIMES,
    version: 'v1',
    resource: 'pods',
    namespace: 'litmus',
    operation: 'present',
  };
  return { ...common, type: 'k8sProbe', k8sProperties };
}

/** Whether the document asks for properties of this probe's type, or for those of none. */
function isAskedFor(name: string, selects: string): boolean {
  const [properties = ''] = /\w+Properties/.exec(selects) ?? [];
  const type = properties.replace('Properties', '').replace('kubernetes', '').toLowerCase();
  return name.includes(type);
}

function experimentOf(
  { id, name }: { readonly id: string; readonly name: string },
  { infraID, app }: PageScene,
  isCron: boolean,
): object {
  const workflow = studioWorkflow(name, { namespace: 'litmus', app, instanceId: infraID }, RUN_SECONDS);
  const manifest = isCron ? onSchedule(workflow) : workflow;
  const type = isCron ? 'CronExperiment' : 'Experiment';
  return { id, type, name, description: '', manifest, infraID, tags: [] };
}

/** The same as a CronWorkflow, as the page makes it: the workflow's spec below `workflowSpec`. */
function onSchedule(workflow: string): string {
  const [head = '', spec = ''] = workflow.split('\nspec:\n');
  const inner = (spec.split('\nstatus:')[0] ?? '').split('\n').map((line) => `  ${line}`);
  return [
    head.replace('kind: Workflow', 'kind: CronWorkflow'),
    'spec:\n  schedule: "0 0 1 1 *"\n  concurrencyPolicy: Forbid\n  startingDeadlineSeconds: 0\n  workflowSpec:',
    ...inner,
  ].join('\n');
}

async function idOf(
  ask: () => Promise<unknown>,
  listed: string,
  id: string,
  notThis: string,
): Promise<string> {
  const answer = (await ask()) as Record<string, Record<string, string>[]>;
  return (answer[listed] ?? []).map((one) => one[id] ?? '').find((one) => one !== notThis) ?? '';
}

async function phaseOf(ask: () => Promise<unknown>): Promise<string> {
  return ((await ask()) as { phase: string }).phase;
}

interface RunningPod {
  readonly runID: string;
  readonly pod: string;
  readonly fault: string;
}

/** Waits until the run has a pod, and its fault a node. */
async function runningPod(ask: () => Promise<unknown>): Promise<RunningPod> {
  let seen: RunningPod | undefined;
  await until(async () => {
    const { experimentRunID: runID, executionData } = (await ask()) as Record<string, string>;
    if (!executionData) return false;
    const { nodes = {} } = JSON.parse(executionData) as {
      nodes?: Record<string, { name: string; type: string }>;
    };
    const fault = Object.values(nodes).find(({ type }) => type === 'ChaosEngine');
    const [pod] = Object.entries(nodes).find(([, { type }]) => type === 'Pod') ?? [];
    if (fault !== undefined && pod !== undefined) seen = { runID: runID ?? '', pod, fault: fault.name };
    return seen !== undefined;
  }, 'the run began no fault');
  return seen as RunningPod;
}

import { SHOP } from '../../experiment/testing/scene.ts';
import { executionText } from '../../run/testing/execution.ts';
import { packText } from '../../store/packed-text.ts';
import { projectScope } from '../../store/store.ts';
import type { TestAgent, TestServer, TestUser } from './test-server.ts';

/** A project with an owner and an agent. */
interface OwnedProject {
  readonly server: TestServer;
  readonly owner: TestUser;
  readonly project: string;
  readonly agent: TestAgent;
}

/** What is in a full project, by the names of arguments that mean it. */
export type NamedObjects = Readonly<Record<string, unknown>>;

const WEBHOOK = { url: 'http://127.0.0.1:1/', events: ['RUN_ENDED'] };
const AT = { created_at: 1, updated_at: 1, created_by: 'test', updated_by: 'test' } as const;
/** Of repositories: they are not read, as no duty runs in tests. */
const REPOSITORY = { auth_type: 'TOKEN', user_name: '', synced_at: 0, last_error: '' } as const;

/**
 * Puts one of everything into a project.
 *
 * @param id what everything is called whose ID clients choose: refusals say it again
 * @param mark stands in what clients see of it, and in no ID
 */
export async function fillProject(owned: OwnedProject, id: string, mark: string): Promise<NamedObjects> {
  const { server, owner, project, agent } = owned;
  const ask = async (query: string, variables: object): Promise<Record<string, unknown>> => ({
    ...(await server.data(query, { p: project, i: id, m: mark, ...variables }, owner)),
  });
  await ask(
    `mutation ($p: ID!, $i: String!, $m: String!) {
      createEnvironment(projectID: $p, request: { environmentID: $i, name: $m, type: PROD }) { environmentID } }`,
    {},
  );
  const { createWebhook } = await ask(
    `mutation ($p: ID!, $r: CreateWebhookRequest!) { createWebhook(projectID: $p, request: $r) { webhook { webhookID } } }`,
    { r: { name: mark, ...WEBHOOK } },
  );
  const { webhookID } = (createWebhook as { webhook: { webhookID: string } }).webhook;
  const { testWebhook } = await ask(
    `mutation ($p: ID!, $id: ID!) { testWebhook(projectID: $p, webhookID: $id) }`,
    { id: webhookID },
  );
  await ask(
    `mutation ($p: ID!, $i: ID!, $m: String!) { addProbe(projectID: $p, request: { name: $i, description: $m, type: httpProbe,
      infrastructureType: Kubernetes, kubernetesHTTPProperties: { probeTimeout: "1s", interval: "1s", url: "http://${mark}",
      method: { get: { criteria: "==", responseCode: "200" } } } }) { name } }`,
    {},
  );
  const { createImageRegistry } = await ask(
    `mutation ($p: String!, $m: String!) { createImageRegistry(projectID: $p, imageRegistryInfo: { isDefault: false,
      imageRegistryName: $m, imageRepoName: $m, imageRegistryType: "private", secretName: $m, secretNamespace: $m,
      enableRegistry: true }) { imageRegistryID } }`,
    {},
  );
  const { imageRegistryID } = createImageRegistry as { imageRegistryID: string };
  await ask(
    `mutation ($p: ID!, $infra: ID!, $m: String!) { setInfraMetrics(projectID: $p, infraID: $infra, request: {
      address: "http://${mark}", queries: [{ name: $m, query: "up" }] }) { address } }`,
    { infra: agent.infraID },
  );
  await saveExperiment(ask, agent, id, mark);
  const run = await reportRuns(ask, owned, id, mark);
  await ask(`mutation ($p: ID!, $m: String!) { haltChaos(projectID: $p, reason: $m) { infraID } }`, {});
  const hubID = await writeRows(owned, id, mark, run.key);
  return {
    ...{ environmentID: id, webhookID, deliveryID: testWebhook, probeName: id, imageRegistryID, hubID },
    ...{
      experimentID: id,
      experimentRunID: run.runID,
      notifyID: run.notifyID,
      chaosHubIDs: hubID,
      id: hubID,
    },
    ...{ infraIDs: agent.infraID, probeNames: id, experimentIDs: id, experimentRunIDs: run.runID },
  };
}

type Ask = (query: string, variables: object) => Promise<Record<string, unknown>>;

async function saveExperiment(ask: Ask, agent: TestAgent, id: string, mark: string): Promise<void> {
  const object = JSON.parse(SHOP) as { readonly metadata: object };
  const manifest = JSON.stringify({ ...object, metadata: { ...object.metadata, name: mark } });
  await ask(
    `mutation ($p: ID!, $r: SaveChaosExperimentRequest!) { saveChaosExperiment(projectID: $p, request: $r) }`,
    { r: { id, name: mark, description: mark, tags: [mark], manifest, infraID: agent.infraID } },
  );
}

/** One run that is over, and one that no agent has taken up. */
async function reportRuns(
  ask: Ask,
  { server, agent, project }: OwnedProject,
  id: string,
  mark: string,
): Promise<{ readonly key: string; readonly runID: string; readonly notifyID: string }> {
  const begin = `mutation ($p: ID!, $i: String!) { runChaosExperiment(projectID: $p, experimentID: $i) { notifyID } }`;
  const { notifyID } = (await ask(begin, {})).runChaosExperiment as { notifyID: string };
  const runID = `run of ${id}`;
  const text = executionText([], { phase: 'Completed', finishedAt: '9', name: mark });
  await server.data(`mutation ($r: ExperimentRunRequest!) { chaosExperimentRun(request: $r) }`, {
    r: {
      ...{ experimentID: id, experimentRunID: runID, notifyID, experimentName: mark, infraID: agent },
      ...{ revisionID: '', completed: true, updatedBy: '', isRemoved: false },
      executionData: Buffer.from(text).toString('base64'),
    },
  });
  await ask(begin, {});
  const { key } = await server.plane.store.read
    .selectFrom('runs')
    .select('key')
    .where('project_id', '=', project)
    .where('run_id', '=', runID)
    .executeTakeFirstOrThrow();
  return { key, runID, notifyID };
}

/** What has its own tests with real repositories, as they leave it. @returns ID of the hub */
async function writeRows(
  { server, project }: OwnedProject,
  id: string,
  mark: string,
  runKey: string,
): Promise<string> {
  const { store, secrets, ids } = server.plane;
  const hubID = ids.id();
  const sealed_secret = secrets.seal('hub', mark);
  await store.transaction(projectScope(project), async ({ db }) => {
    await db
      .insertInto('hubs')
      .values({
        ...{ id: hubID, project_id: project, name: mark, description: mark, tags: `["${mark}"]`, ...AT },
        ...{ hub_type: 'GIT', repo_url: `http://127.0.0.1:1/${mark}`, repo_branch: mark, remote_hub: '' },
        ...{ private: 1, ...REPOSITORY, sealed_secret, ssh_public_key: '', removed: 0 },
      })
      .execute();
    await db
      .insertInto('gitops')
      .values({
        ...{
          project_id: project,
          repo_url: `http://127.0.0.1:1/${mark}`,
          branch: mark,
          ...REPOSITORY,
          ...AT,
        },
        ...{ sealed_secret, latest_commit: mark, checked_at: 0, problems: '[]' },
      })
      .execute();
    await db
      .insertInto('gitops_files')
      .values({
        ...{ project_id: project, experiment_id: id, path: `${mark}.yaml`, name: mark },
        ...{ hash: mark, revision_id: mark },
      })
      .execute();
    await db
      .insertInto('run_records')
      .values({
        run_key: runKey,
        object: `ChaosEngine/${mark}/${mark}`,
        data: packText(`{"name":"${mark}"}`),
      })
      .execute();
  });
  return hubID;
}

import { executionText } from '../../run/testing/execution.ts';
import { type Answer, type TestAgent, TestServer, type TestUser } from '../../server/testing/test-server.ts';
import { unpackText } from '../../store/packed-text.ts';
import type { TestDatabase } from '../../store/testing/databases.ts';
import { engineYaml, faultTemplate, INLINE_PROBE, workflowOf } from './manifests.ts';

/** An action as an agent would get it. */
export interface Order {
  readonly type: string;
  readonly manifest: string;
  readonly namespace: string;
  readonly externalData: string | null;
}

/** The manifest of a workflow with one fault and one probe, called `shop`. */
export const SHOP = JSON.stringify(workflowOf(faultTemplate(engineYaml({ probe: INLINE_PROBE }))).object);

/** A server with a project, its owner and an agent. */
export class Scene {
  readonly server: TestServer;
  readonly owner: TestUser;
  readonly project: string;
  readonly agent: TestAgent;

  private constructor(server: TestServer, owner: TestUser, project: string, agent: TestAgent) {
    this.server = server;
    this.owner = owner;
    this.project = project;
    this.agent = agent;
  }

  static async start(
    database: TestDatabase,
    options?: Parameters<typeof TestServer.start>[1],
  ): Promise<Scene> {
    const server = await TestServer.start(database, options);
    const owner = await server.user('olga');
    const project = await server.project([[owner, 'Owner']]);
    return new Scene(server, owner, project, await server.agent(project));
  }

  /** The same project, on a server that was started again. */
  on(server: TestServer): Scene {
    return new Scene(server, this.owner, this.project, this.agent);
  }

  /** What an operation of the owner in the project answers; `$p` is the project. */
  async data(query: string, variables: object = {}): Promise<Readonly<Record<string, unknown>>> {
    return this.server.data(query, { p: this.project, ...variables }, this.owner);
  }

  /** The message of an operation's refusal. */
  async refusal(query: string, variables: object = {}): Promise<string | undefined> {
    const { errors } = await this.server.graphql(query, { p: this.project, ...variables }, this.owner);
    return errors[0]?.message;
  }

  /** Saves an experiment; by default a workflow called `shop`. @returns the sentence of the answer */
  async save(
    id: string,
    { name = 'shop', manifest = SHOP, infraID = this.agent.infraID } = {},
  ): Promise<string> {
    const query = `mutation ($p: ID!, $r: SaveChaosExperimentRequest!) { saveChaosExperiment(projectID: $p, request: $r) }`;
    const r = { id, name, description: '', manifest, infraID };
    return String((await this.data(query, { r })).saveChaosExperiment);
  }

  /** Begins a run. @returns the id of the start */
  async run(id: string): Promise<string> {
    const query = `mutation ($p: ID!, $id: String!) { runChaosExperiment(projectID: $p, experimentID: $id) { notifyID } }`;
    return ((await this.data(query, { id })).runChaosExperiment as { notifyID: string }).notifyID;
  }

  /** Sends the agent's report of a run. */
  async report(
    event: {
      readonly experimentID: string;
      readonly runID: string;
      readonly notifyID?: string;
      readonly text?: string;
      readonly completed?: boolean;
      readonly name?: string;
      readonly updatedBy?: string;
      readonly revisionID?: string;
    },
    agent: TestAgent = this.agent,
  ): Promise<Answer> {
    const query = `mutation ($r: ExperimentRunRequest!) { chaosExperimentRun(request: $r) }`;
    const { experimentID, runID, notifyID, text = executionText([]), completed = false } = event;
    const r = {
      experimentID,
      experimentRunID: runID,
      notifyID,
      experimentName: event.name ?? 'shop-1',
      executionData: Buffer.from(text).toString('base64'),
      infraID: agent,
      revisionID: event.revisionID ?? '',
      completed,
      updatedBy: event.updatedBy ?? '',
    };
    return this.server.graphql(query, { r });
  }

  /** Actions that the agent has got since the last call, oldest first. */
  async orders(agent: TestAgent = this.agent): Promise<Order[]> {
    const rows = await this.server.plane.store.read
      .selectFrom('actions')
      .selectAll()
      .where('infra_id', '=', agent.infraID)
      .where('seq', '>', this.#seen)
      .orderBy('seq')
      .execute();
    this.#seen = rows.at(-1)?.seq ?? this.#seen;
    return rows.map((row) => ({
      type: row.request_type,
      manifest: unpackText(row.manifest),
      namespace: row.namespace,
      externalData: row.external_data,
    }));
  }

  #seen = 0;
}

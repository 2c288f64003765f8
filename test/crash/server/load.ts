import assert from 'node:assert/strict';
import type { RemoteClient } from '../../../src/cli/remote/remote-client.ts';
import { CommandError } from '../../../src/services/errors.ts';
import { beginRun, type Estate, saveExperiment, tellRun } from './estate.ts';

/** A run that a server has acknowledged, and how far it has told of it. */
interface KnownRun {
  readonly experimentID: string;
  readonly runID: string;
  readonly notifyID: string;
  /** The last account that was acknowledged; -1: none. */
  acknowledged: -1 | 0 | 1 | 2;
}

const PHASES = ['Running', 'Running', 'Completed'] as const;
const GET = `query ($p: ID!, $notify: ID) { getExperimentRun(projectID: $p, notifyID: $notify) { phase experimentRunID } }`;
const ENVIRONMENT = `query ($p: ID!, $e: ID!) { getEnvironment(projectID: $p, environmentID: $e) { environmentID } }`;
const CREATE_ENVIRONMENT = `mutation ($p: ID!, $r: CreateEnvironmentRequest) { createEnvironment(projectID: $p, request: $r) { environmentID } }`;

/** Mixed load on a server that may die at any moment; remembers what was acknowledged and nothing else. */
export class Load {
  readonly environments = new Set<string>();
  readonly runs: KnownRun[] = [];
  readonly #estate: Estate;
  #made = 0;

  constructor(estate: Estate) {
    this.#estate = estate;
  }

  /** Works with `clients` callers at once until they are not answered any more. @throws what any of them is answered instead */
  async work(client: RemoteClient, clients: number): Promise<void> {
    const callers = Array.from({ length: clients }, (_, caller) => this.#call(client, caller));
    for (const end of await Promise.allSettled(callers)) {
      const error: unknown = end.status === 'rejected' ? end.reason : undefined;
      if (!(error instanceof CommandError) || error.code !== 'REMOTE_UNREACHABLE') throw error;
    }
  }

  async #call(client: RemoteClient, caller: number): Promise<never> {
    const { project } = this.#estate;
    for (;;) {
      const id = `${caller}-${++this.#made}`;
      const environment = { environmentID: `env-${id}`, name: id, type: 'NON_PROD' };
      await client.graphql(CREATE_ENVIRONMENT, { p: project, r: environment });
      this.environments.add(environment.environmentID);
      await this.#run(client, `exp-${id}`);
    }
  }

  async #run(client: RemoteClient, experimentID: string): Promise<void> {
    const { project } = this.#estate;
    const agent = this.#agent();
    await saveExperiment(client, project, experimentID, agent.infraID);
    const notifyID = await beginRun(client, project, experimentID);
    const run: KnownRun = { experimentID, notifyID, runID: `uid-${experimentID}`, acknowledged: -1 };
    this.runs.push(run);
    for (const step of [0, 1, 2] as const) {
      await tellRun(client, agent, { ...run, step });
      run.acknowledged = step;
    }
  }

  #agent(): Estate['agents'][number] {
    const [agent] = this.#estate.agents;
    assert.ok(agent !== undefined);
    return agent;
  }

  /** What was acknowledged is there, and agents bring each run to its end. Forgets it then. @returns how much was looked at */
  async check(client: RemoteClient): Promise<number> {
    const { project: p } = this.#estate;
    for (const e of this.environments) {
      const { getEnvironment } = await client.graphql<{ getEnvironment: object | null }>(ENVIRONMENT, {
        p,
        e,
      });
      assert.ok(getEnvironment !== null, `acknowledged environment ${e} is lost`);
    }
    for (const run of this.runs) await this.#checkRun(client, run);
    const found = this.environments.size + this.runs.splice(0).length;
    this.environments.clear();
    return found;
  }

  async #checkRun(client: RemoteClient, run: KnownRun): Promise<void> {
    const { project: p } = this.#estate;
    const phaseNow = async (): Promise<string> => {
      const { getExperimentRun } = await client.graphql<{ getExperimentRun: { phase: string } }>(GET, {
        p,
        notify: run.notifyID,
      });
      return getExperimentRun.phase;
    };
    const phase = await phaseNow();
    // The server may have stored more than it could acknowledge.
    const possible = run.acknowledged === -1 ? ['Queued', ...PHASES] : PHASES.slice(run.acknowledged);
    assert.ok(
      possible.some((one) => one === phase),
      `run ${run.runID} is ${phase} after account ${run.acknowledged}`,
    );
    // Agents keep what was not acknowledged, and send it again.
    for (const step of [0, 1, 2] as const) {
      if (step > run.acknowledged) await tellRun(client, this.#agent(), { ...run, step }).catch(ifNew);
    }
    assert.equal(await phaseNow(), 'Completed', `run ${run.runID} is stuck`);
  }
}

/** What was stored and not acknowledged is known already; an agent takes that for an acknowledgement. */
function ifNew(error: unknown): void {
  if (!(error instanceof Error) || !error.message.includes('discarded due the duplicate event')) throw error;
}

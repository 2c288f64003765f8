import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PATIENCE_MS, until } from '@turnsole/kube/testing/until';
import { TurnsoleProcess } from '../../support/turnsole.ts';

const USERNAME = 'admin';

/** The answer to a request. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A run, as far as checks look at it. */
export interface Run {
  readonly experimentRunID: string;
  readonly phase: string;
  readonly resiliencyScore: number | null;
  readonly faultsPassed: number | null;
  readonly totalFaults: number | null;
}

interface RunList {
  readonly listExperimentRun: { readonly experimentRuns: readonly Run[] };
}

interface ExecutedRun {
  readonly getExperimentRun: { readonly executionData: string };
}

interface Execution {
  readonly nodes?: Readonly<Record<string, { readonly type: string }>>;
}

interface Infra {
  readonly infraID: string;
  readonly isActive: boolean;
}

interface InfraList {
  readonly listInfras: { readonly infras: readonly Infra[] };
}

const RUNS = `query($p: ID!, $r: ListExperimentRunRequest!) { listExperimentRun(projectID: $p, request: $r) {
  experimentRuns { experimentRunID phase resiliencyScore faultsPassed totalFaults } } }`;
const EXECUTION =
  'query($p: ID!, $r: ID) { getExperimentRun(projectID: $p, experimentRunID: $r) { executionData } }';
const INFRAS = 'query($p: ID!) { listInfras(projectID: $p) { infras { infraID isActive } } }';

/** `turnsole server` as its users start it, with its first user signed in. */
export class ControlPlane implements AsyncDisposable {
  readonly #data: string;
  readonly #port: string;
  #process: TurnsoleProcess;
  /** Where clients and agents find it, without a path. */
  readonly url: string;
  readonly username = USERNAME;
  readonly password: string;
  /** For the header `Authorization: Bearer`. */
  token = '';
  projectID = '';

  private constructor(server: TurnsoleProcess, data: string, host: string, port: string, password: string) {
    this.#process = server;
    this.#data = data;
    this.#port = port;
    this.url = `http://${host}:${port}`;
    this.password = password;
  }

  /** @param data folder of the server  @param host an address of this machine */
  static async start(data: string, host: string): Promise<ControlPlane> {
    const server = startProcess(data, '0');
    const port = new URL((await server.line(/^ {2}address /)).split(/\s+/)[2] ?? '').port;
    const password = (await server.line(/^ {2}password /)).split(/\s+/)[2] ?? '';
    const plane = new ControlPlane(server, data, host, port, password);
    const signedIn = await plane.rest('POST', '/auth/login', { username: USERNAME, password });
    const { accessToken, projectID } = signedIn as { accessToken: string; projectID: string };
    plane.token = accessToken;
    plane.projectID = projectID;
    return plane;
  }

  /** Sends a request as it is. */
  async send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<Reply> {
    const answer = await fetch(this.url + path, { method, headers, ...(body !== undefined && { body }) });
    const content = await answer.text();
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false;
    return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(content) : content };
  }

  /** The body of a REST answer. @throws AssertionError when it is an error */
  async rest(method: string, path: string, body?: object): Promise<unknown> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.token}` };
    const reply = await this.send(method, path, headers, body && JSON.stringify(body));
    assert.equal(reply.status, 200, `${method} ${path}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  }

  /** The data of a GraphQL answer. @throws AssertionError with its errors */
  async ask<Data>(query: string, variables: object = {}): Promise<Data> {
    const answer = (await this.rest('POST', '/query', { query, variables })) as {
      data: Data;
      errors?: unknown;
    };
    assert.equal(answer.errors, undefined, JSON.stringify(answer.errors));
    return answer.data;
  }

  /** The first run of an experiment that is as wanted, as soon as there is one; its id. @throws AssertionError when none is in time */
  async runID(experiment: string, isWanted: (run: Run) => boolean, limitMs = PATIENCE_MS): Promise<string> {
    let runs: readonly Run[] = [];
    const wanted = (): Run | undefined => runs.find(isWanted);
    await until(
      async () => {
        const variables = { p: this.projectID, r: { experimentIDs: [experiment] } };
        ({
          listExperimentRun: { experimentRuns: runs },
        } = await this.ask<RunList>(RUNS, variables));
        return wanted() !== undefined;
      },
      () => `the runs of ${experiment} are ${JSON.stringify(runs)}`,
      limitMs,
    );
    return wanted()?.experimentRunID ?? '';
  }

  /** Names of the pods of a run, as far as its agent has reported them. */
  async podsOf(runID: string): Promise<readonly string[]> {
    const { getExperimentRun } = await this.ask<ExecutedRun>(EXECUTION, { p: this.projectID, r: runID });
    const { nodes = {} } = JSON.parse(getExperimentRun.executionData || '{}') as Execution;
    return Object.keys(nodes).filter((name) => nodes[name]?.type === 'Pod');
  }

  /** The id of the first infrastructure that has an agent, as soon as there is one. @throws AssertionError when there is none in time */
  async activeInfra(): Promise<string> {
    let found: Infra | undefined;
    await until(async () => {
      const { listInfras } = await this.ask<InfraList>(INFRAS, { p: this.projectID });
      found = listInfras.infras.find(({ isActive }) => isActive);
      return found !== undefined;
    }, 'no infrastructure has an agent');
    return found?.infraID ?? '';
  }

  /** A probe of the project that asks an application for its page. */
  async addProbe(name: string): Promise<void> {
    const times = { probeTimeout: '2s', interval: '1s', attempt: 1 };
    const method = { get: { criteria: '==', responseCode: '200' } };
    const kubernetesHTTPProperties = { ...times, url: 'http://web.litmus:8080', method };
    const request = { name, type: 'httpProbe', infrastructureType: 'Kubernetes', kubernetesHTTPProperties };
    await this.ask('mutation($p: ID!, $r: ProbeRequest!) { addProbe(projectID: $p, request: $r) { name } }', {
      p: this.projectID,
      r: request,
    });
  }

  /** Kills it, as a machine does that loses power, and starts it again at the same address. */
  async killAndRestart(): Promise<void> {
    const closed = once(this.#process.child, 'close');
    this.#process.child.kill('SIGKILL');
    await closed;
    this.#process = startProcess(this.#data, this.#port);
    await this.#process.line(/^ {2}address /);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }
}

function startProcess(data: string, port: string): TurnsoleProcess {
  // Repositories of tests are on the loopback, which servers refuse to ask of themselves.
  const env = { REMOTE_ALLOWED_ADDRESSES: '127.0.0.1' };
  return new TurnsoleProcess(['server', '--data', data, '--listen', `0.0.0.0:${port}`], env);
}

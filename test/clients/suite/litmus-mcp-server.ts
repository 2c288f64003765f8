import assert from 'node:assert/strict';
import { studioWorkflow } from '../../support/litmus-workflows.ts';
import type { Client } from './client.ts';

const PROGRAM = 'litmus-mcp-server';
const EXPERIMENT = 'mcp-experiment';
const HUB = '6f39cea9-6264-4951-83a8-29976b614289';

interface Answer {
  readonly id: number;
  readonly error?: { readonly message: string };
  readonly result?: {
    readonly content?: readonly { readonly text: string }[];
    readonly tools?: readonly object[];
  };
}

/** LitmusChaos' server of the Model Context Protocol: its tools are asked over its standard input. */
export const LITMUS_MCP_SERVER: Client = {
  name: PROGRAM,
  programs: [PROGRAM],
  covers: 'its 16 tools, over a connected agent',
  version: ({ programs }) => programs.notedVersion(PROGRAM),
  async run({ stage, program, checks }) {
    const plane = await stage.controlPlane();
    const infraID = await stage.connectedAgent();
    await stage.application('web', 'litmus');
    const env = {
      CHAOS_CENTER_ENDPOINT: plane.url,
      LITMUS_PROJECT_ID: plane.projectID,
      LITMUS_ACCESS_TOKEN: plane.token,
      DEFAULT_INFRA_ID: infraID,
    };
    /** The answer to one request; each is a process of its own, as an assistant starts one for each conversation. */
    const ask = async (method: string, params: object): Promise<Answer> => {
      const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`;
      const { stdout, stderr } = await stage.run(program(PROGRAM), [], { env, input });
      const line = stdout.split('\n').find((one) => one.includes('"id":1'));
      assert.ok(line, stdout + stderr);
      return JSON.parse(line) as Answer;
    };
    const tool = async (name: string, args: object): Promise<string> => {
      const { error, result } = await ask('tools/call', { name, arguments: args });
      assert.equal(error, undefined, JSON.stringify(error));
      return result?.content?.[0]?.text ?? '';
    };
    const brings = (name: string, args: object, pattern: RegExp): Promise<void> =>
      checks.expected(name, async () => assert.match(await tool(name, args), pattern));

    await checks.expected('tools/list', async () => {
      assert.equal((await ask('tools/list', {})).result?.tools?.length, 16);
    });
    const manifest = studioWorkflow(
      EXPERIMENT,
      { namespace: 'litmus', app: 'web', instanceId: infraID },
      120,
    );
    await plane.ask(
      'mutation($p: ID!, $r: SaveChaosExperimentRequest!) { saveChaosExperiment(projectID: $p, request: $r) }',
      {
        p: plane.projectID,
        r: {
          id: EXPERIMENT,
          type: 'Experiment',
          name: EXPERIMENT,
          description: '',
          manifest,
          infraID,
          tags: [],
        },
      },
    );
    await brings('list_environments', {}, /default/);
    await brings('create_environment', { name: 'staging', type: 'NON_PROD' }, /staging/);
    await brings('list_chaos_infrastructures', {}, new RegExp(infraID));
    await brings('get_infrastructure_details', { infraId: infraID }, new RegExp(infraID));
    const infra = { name: 'other', environmentId: 'default', platformName: 'GKE', infraScope: 'namespace' };
    await brings('register_chaos_infrastructure', { ...infra, infraNamespace: 'other' }, /other/);
    await brings('list_chaos_hubs', {}, /Litmus ChaosHub/);
    await brings('get_chaos_faults', { hubId: HUB }, /pod-delete/);
    const properties = { url: 'http://web.litmus:8080', method: 'GET', timeout: '2s', interval: '1s' };
    await brings(
      'create_resilience_probe',
      { name: 'mcp-probe', type: 'httpProbe', properties },
      /mcp-probe/,
    );
    await brings('list_resilience_probes', {}, /mcp-probe/);
    await brings('list_chaos_experiments', {}, new RegExp(EXPERIMENT));
    await brings('get_chaos_experiment', { experimentId: EXPERIMENT }, new RegExp(EXPERIMENT));
    await brings('run_chaos_experiment', { experimentId: EXPERIMENT }, /notifyI[dD]/);
    const runID = await plane.runID(EXPERIMENT, ({ phase }) => phase === 'Running');
    await brings('list_experiment_runs', { experimentId: EXPERIMENT }, new RegExp(runID));
    await brings('get_experiment_run_details', { experimentRunId: runID }, new RegExp(runID));
    await brings('get_experiment_statistics', { includeResiliencyScores: true }, /[Ee]xperiment/);
    await brings('stop_chaos_experiment', { experimentId: EXPERIMENT, experimentRunId: runID }, /stop/i);
    await checks.expected('the run is stopped', async () => {
      await plane.runID(EXPERIMENT, ({ phase }) => phase === 'Stopped');
    });
    await checks.expected('an experiment that is unknown is an error', async () => {
      const { error } = await ask('tools/call', {
        name: 'get_chaos_experiment',
        arguments: { experimentId: 'nope' },
      });
      assert.match(error?.message ?? '', /nope/);
    });
  },
};

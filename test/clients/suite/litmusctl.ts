import assert from 'node:assert/strict';
import { studioWorkflow } from '../../support/litmus-workflows.ts';
import type { Client } from './client.ts';
import { ENTER, inTerminal, type Typing } from './terminal.ts';

const PROGRAM = 'litmusctl';
const NEW_PASSWORD = 'Second@1234';

/** LitmusChaos' command line. */
export const LITMUSCTL: Client = {
  name: PROGRAM,
  programs: [PROGRAM, 'script', 'kubectl'],
  covers:
    'config, create, connect, save, run, get, describe, delete, disconnect: all 22 commands; version, update password, names that are unknown',
  version: async ({ stage, program }) =>
    /version:\s*(\S+)/.exec(await stage.ok(program(PROGRAM), ['version']))?.[1] ?? 'unknown',
  async run({ stage, program, checks }) {
    const plane = await stage.controlPlane();
    const cluster = await stage.cluster();
    const { projectID } = plane;
    const project = ['--project-id', projectID];
    const litmusctl = (...args: string[]): Promise<string> => stage.ok(program(PROGRAM), args);
    /** In a terminal, where it asks questions and shows one page of a list after the other. */
    const typed = async (typings: readonly Typing[], ...args: string[]): Promise<string> => {
      const words = [program(PROGRAM), ...args];
      const { code, text } = await inTerminal(program('script'), words, typings, await stage.environment());
      assert.equal(code, 0, text);
      return text;
    };
    const yes: readonly Typing[] = [[/\[y\/N\]|\(y\/n\)|y\/n|sure/i, `y${ENTER}`]];
    const prints = (name: string, run: () => Promise<string>, pattern: RegExp): Promise<void> =>
      checks.expected(name, async () => {
        const printed = await run();
        assert.match(printed, pattern);
        assert.doesNotMatch(printed, /panic:/);
      });
    const fails = (name: string, args: string[], pattern: RegExp): Promise<void> =>
      checks.expected(name, async () => assert.match(await stage.fails(program(PROGRAM), args), pattern));

    const account = ['--endpoint', plane.url, '--username', plane.username];
    const signIn = (): Promise<string> =>
      litmusctl('config', 'set-account', ...account, '--password', plane.password, '--non-interactive');
    await prints('config set-account', signIn, /account\.username\/admin configured/);
    await prints('config get-accounts', () => litmusctl('config', 'get-accounts'), /admin/);
    await prints('config use-account', () => litmusctl('config', 'use-account', ...account), /admin/);
    await prints('config view', () => litmusctl('config', 'view'), new RegExp(plane.url));

    await prints(
      'create project',
      () => litmusctl('create', 'project', '--name', 'second'),
      /success|created/i,
    );
    await prints('get projects', () => litmusctl('get', 'projects', '-o', 'json'), /second/);
    const environment = ['--name', 'ctl', '--type', 'NON_PROD'];
    await prints(
      'create chaos-environment',
      () => litmusctl('create', 'chaos-environment', ...project, ...environment),
      /EnvironmentID: ctl/,
    );
    await prints(
      'get chaos-environments',
      () => typed([[/to quit/, `q${ENTER}`]], 'get', 'chaos-environments', ...project),
      /ctl\s+ctl/,
    );
    const one = ['--environment-id', 'ctl'];
    await prints(
      'get chaos-environments --environment-id',
      () => litmusctl('get', 'chaos-environments', ...project, ...one),
      /ctl/,
    );
    const nope = ['get', 'chaos-environments', ...project, '--environment-id', 'nope'];
    await fails('an environment that is unknown is an error', nope, /no environment nope in this project/);

    const connect = [
      '--name',
      'ctl-infra',
      ...one,
      '--installation-mode',
      'cluster',
      '--platform-name',
      'Others',
    ];
    const where = [
      '--chaos-infra-type',
      'Kubernetes',
      '--kubeconfig',
      cluster.kubeconfig,
      '--namespace',
      'litmus',
    ];
    await prints(
      'connect chaos-infra',
      () => litmusctl('connect', 'chaos-infra', '--non-interactive', ...project, ...connect, ...where),
      /Chaos new infrastructure connection successful/,
    );
    const infras = (): Promise<string> => litmusctl('get', 'chaos-infra', ...project, '-o', 'json');
    await prints('get chaos-infra', infras, /ctl-infra/);
    const infraID = await plane.activeInfra();
    await checks.expected('the infrastructure is connected', () => assert.match(infraID, /^[0-9a-f-]{36}$/));

    await stage.application('web', 'litmus');
    const infra = ['--chaos-infra-id', infraID];
    const place = { namespace: 'litmus', app: 'web', instanceId: infraID };
    const saved = await stage.file('saved.yaml', studioWorkflow('ctl-saved', place, 10));
    const created = await stage.file('created.yaml', studioWorkflow('ctl-created', place, 10));
    const described = ['-d', 'of a test'];
    await prints(
      'save chaos-experiment',
      () => litmusctl('save', 'chaos-experiment', ...project, ...infra, ...described, '-f', saved),
      /saved/i,
    );
    await prints(
      'create chaos-experiment',
      () => litmusctl('create', 'chaos-experiment', ...project, ...infra, ...described, '-f', created),
      /successfully created/,
    );
    await fails(
      'an infrastructure that is unknown is an error',
      ['save', 'chaos-experiment', ...project, '--chaos-infra-id', 'nope', ...described, '-f', saved],
      /nope|doesn't exist/,
    );
    const experiment = ['--experiment-id', 'ctl_saved'];
    await prints(
      'run chaos-experiment',
      () => litmusctl('run', 'chaos-experiment', ...project, ...experiment),
      /run|scheduled/i,
    );
    await prints(
      'get chaos-experiments',
      () => litmusctl('get', 'chaos-experiments', ...project, '-o', 'json'),
      /ctl-saved/,
    );
    await checks.expected('the run is Completed', async () => {
      await plane.runID('ctl_saved', ({ phase }) => phase === 'Completed');
    });
    const runs = ['get', 'chaos-experiment-runs', ...project, '-o', 'json'];
    await prints('get chaos-experiment-runs', () => litmusctl(...runs), /Completed/);
    await prints(
      'describe chaos-experiment',
      () => litmusctl('describe', 'chaos-experiment', 'ctl_saved', ...project, '--output', 'yaml'),
      /ctl-saved/,
    );

    await plane.addProbe('ctl-probe');
    await prints(
      'get probes',
      () =>
        typed(
          [[/to quit/, `q${ENTER}`]],
          'get',
          'probes',
          ...project,
          '--non-interactive',
          '--probe-types',
          'httpProbe',
        ),
      /ctl-probe/,
    );
    const probe = ['--probe-id', 'ctl-probe'];
    await prints(
      'describe probe',
      () => litmusctl('describe', 'probe', ...project, ...probe, '--mode', 'SOT', '--output', 'yaml'),
      /httpProbe/,
    );
    await prints('delete probe', () => typed(yes, 'delete', 'probe', ...project, ...probe), /delet/i);
    await prints(
      'delete chaos-experiment',
      () => typed(yes, 'delete', 'chaos-experiment', 'ctl_saved', ...project),
      /delet/i,
    );
    await prints(
      'disconnect chaos-infra',
      () => litmusctl('disconnect', 'chaos-infra', infraID, ...project),
      /disconnect/i,
    );
    await prints(
      'delete chaos-environment',
      () => typed(yes, 'delete', 'chaos-environment', ...project, ...one),
      /delet/i,
    );
    const passwords: readonly Typing[] = [
      [/Username/, plane.username + ENTER],
      [/Old Password/i, plane.password + ENTER],
      [/New Password/i, NEW_PASSWORD + ENTER],
      [/Confirm/i, NEW_PASSWORD + ENTER],
    ];
    await prints('update password', () => typed(passwords, 'update', 'password'), /success/i);
  },
};

import assert from 'node:assert/strict';
import type { Client } from './client.ts';

const PROGRAM = 'argo';
const NAMESPACE = 'default';

const HEAD = 'apiVersion: argoproj.io/v1alpha1\n';
const STEP = 'image: busybox, command: [sh, -c]';

function workflow(name: string, spec: string): string {
  return `${HEAD}kind: Workflow\nmetadata: { name: ${name} }\nspec:\n${spec}`;
}

function template(name: string, run: string, more = ''): string {
  return `    - name: ${name}\n${more}      container: { ${STEP}, args: ["${run}"] }\n`;
}

function single(name: string, run: string, more = ''): string {
  return workflow(name, `  entrypoint: main\n${more}  templates:\n${template('main', run)}`);
}

const HELLO = single('hello', 'echo hello; sleep 1; echo world');
/** Long enough to be suspended by a program that starts meanwhile. */
const PAUSED = single('paused', 'sleep 8');
const STEPS = workflow(
  'two-steps',
  `  entrypoint: main
  templates:
    - name: main
      steps:
        - - { name: first, template: say, arguments: { parameters: [{ name: text, value: one }] } }
        - - { name: second, template: say, arguments: { parameters: [{ name: text, value: two }] } }
${template('say', 'echo says {{inputs.parameters.text}}', '      inputs: { parameters: [{ name: text }] }\n')}`,
);
/** Fails the first time, and passes when it is told otherwise. */
const FAILING = single(
  'failing',
  'test {{workflow.parameters.fate}} = good',
  '  arguments: { parameters: [{ name: fate, value: bad }] }\n',
);
const WAITING = workflow(
  'waiting',
  `  entrypoint: main
  templates:
    - name: main
      steps: [[{ name: approve, template: approve }], [{ name: after, template: after }]]
    - name: approve
      inputs: { parameters: [{ name: note, default: "-" }] }
      suspend: {}
      outputs: { parameters: [{ name: answer, valueFrom: { supplied: {} } }] }
${template('after', 'echo after')}`,
);
const TEMPLATE = `${HEAD}kind: WorkflowTemplate
metadata: { name: shared }
spec:
  entrypoint: main
  templates:
${template('main', 'echo shared')}`;
const CLUSTER_TEMPLATE = TEMPLATE.replace('WorkflowTemplate', 'ClusterWorkflowTemplate');
const CRON = `${HEAD}kind: CronWorkflow
metadata: { name: nightly }
spec:
  schedules: ["0 3 * * *"]
  workflowSpec:
    entrypoint: main
    templates:
${template('main', 'echo night').replace(/^/gm, '  ').trimEnd()}
`;
const MISTYPED = HELLO.replace('entrypoint:', 'entrypiont:');

/** Argo's command line, which speaks to the API server itself. */
export const ARGO: Client = {
  name: PROGRAM,
  programs: [PROGRAM],
  covers:
    'submit (--wait, --watch, --log, --from, -p), wait, watch, get, list, logs (-f, --since), retry, resubmit, stop, terminate, suspend, resume, node set, lint; template (create, get, list, lint, update, delete), cluster-template (create, get, list, delete), cron (create, get, list, suspend, resume, delete); delete, archive list',
  version: async ({ stage, program }) =>
    /argo: v?([\d.]+)/.exec(await stage.ok(program(PROGRAM), ['version', '--short']))?.[1] ?? 'unknown',
  async run({ stage, program, checks }) {
    await stage.cluster();
    const argo = (...args: string[]): Promise<string> =>
      stage.ok(program(PROGRAM), ['-n', NAMESPACE, ...args]);
    const prints = (name: string, args: string[], pattern: RegExp): Promise<void> =>
      checks.expected(name, async () => assert.match(await argo(...args), pattern));
    const fails = (name: string, args: string[], pattern: RegExp): Promise<void> =>
      checks.expected(name, async () =>
        assert.match(await stage.fails(program(PROGRAM), ['-n', NAMESPACE, ...args]), pattern),
      );
    const phase = async (name: string): Promise<string> =>
      (JSON.parse(await argo('get', name, '-o', 'json')) as { status?: { phase?: string } }).status?.phase ??
      '';
    const named = async (list: string): Promise<string> =>
      (await argo(...list.split(' '))).trim().split('\n').at(-1) ?? '';
    const files: Record<string, string> = {};
    const texts = { HELLO, PAUSED, STEPS, FAILING, WAITING, TEMPLATE, CLUSTER_TEMPLATE, CRON, MISTYPED };
    for (const [name, text] of Object.entries(texts))
      files[name] = await stage.file(`${name.toLowerCase()}.yaml`, text);
    const file = (name: keyof typeof texts): string => files[name] ?? '';

    await prints(
      'lint',
      ['lint', file('HELLO'), file('STEPS'), file('CRON'), file('TEMPLATE')],
      /no linting errors found/i,
    );
    await fails('lint of a misspelt field', ['lint', file('MISTYPED')], /entrypiont/);
    await prints('submit --wait', ['submit', '--wait', file('HELLO')], /hello Succeeded/);
    await prints('submit --watch', ['submit', '--watch', file('STEPS')], /Succeeded/);
    await prints(
      'submit --log',
      ['submit', '--log', '--name', 'hello-log', file('HELLO')],
      /hello-log[^\n]*: world/,
    );
    await prints(
      'list',
      ['list'],
      /hello\s+Succeeded[\s\S]*two-steps\s+Succeeded|two-steps\s+Succeeded[\s\S]*hello\s+Succeeded/,
    );
    await prints('list --completed -o name', ['list', '--completed', '-o', 'name'], /^hello$/m);
    await prints('get', ['get', 'two-steps'], /Status:\s+Succeeded[\s\S]*second/);
    await prints('get @latest', ['get', '@latest'], /Name:\s+hello-log/);
    await prints('logs', ['logs', 'two-steps'], /says one[\s\S]*says two/);
    await prints(
      'logs of a pod with options',
      ['logs', 'hello', '--since', '1h', '--tail', '1', '-c', 'main'],
      /world/,
    );
    await prints('wait', ['wait', 'hello'], /hello Succeeded/);
    await prints('watch', ['watch', 'hello'], /Succeeded/);
    await checks.expected('logs -f', async () => {
      await argo('submit', '--name', 'followed', file('HELLO'));
      assert.match(await argo('logs', '-f', 'followed'), /hello[\s\S]*world/);
    });

    await fails('submit --wait of what fails', ['submit', '--wait', file('FAILING')], /failing Failed/);
    await checks.expected('retry with another parameter', async () => {
      await argo('retry', 'failing', '-p', 'fate=good', '--wait');
      assert.equal(await phase('failing'), 'Succeeded');
    });
    await checks.expected('resubmit', async () => {
      assert.match(await argo('resubmit', 'two-steps', '--wait'), /two-steps-\w+ Succeeded/);
    });
    await checks.expected('suspend and resume', async () => {
      await argo('submit', file('PAUSED'));
      await argo('suspend', 'paused');
      assert.match(await argo('get', 'paused', '-o', 'json'), /"suspend": ?true/);
      await argo('resume', 'paused');
      assert.match(await argo('wait', 'paused'), /paused Succeeded/);
    });
    await checks.expected('node set, and resume of one node', async () => {
      await argo('submit', '--name', 'answered', file('WAITING'));
      const selector = ['--node-field-selector', 'displayName=approve'];
      await stage.untilPrinted(program(PROGRAM), ['-n', NAMESPACE, 'get', 'answered'], /approve/);
      await argo('node', 'set', 'answered', '--output-parameter', 'answer=yes', ...selector);
      await argo('resume', 'answered', ...selector);
      assert.match(await argo('wait', 'answered'), /answered Succeeded/);
      assert.match(await argo('get', 'answered', '-o', 'yaml'), /value: "?yes/);
    });
    await checks.expected('stop', async () => {
      await argo('submit', '--name', 'stopped', file('WAITING'));
      await argo('stop', 'stopped', '--message', 'enough');
      assert.match(
        await stage.fails(program(PROGRAM), ['-n', NAMESPACE, 'wait', 'stopped']),
        /stopped Failed/,
      );
    });
    await checks.expected('terminate', async () => {
      await argo('submit', '--name', 'terminated', file('WAITING'));
      await argo('terminate', 'terminated');
      assert.match(
        await stage.fails(program(PROGRAM), ['-n', NAMESPACE, 'wait', 'terminated']),
        /terminated Failed/,
      );
    });

    await prints('template create', ['template', 'create', file('TEMPLATE')], /shared/);
    await prints('template get', ['template', 'get', 'shared'], /Name:\s+shared/);
    await prints('template list', ['template', 'list'], /shared/);
    await prints('template lint', ['template', 'lint', file('TEMPLATE')], /no linting errors found/i);
    await prints('template update', ['template', 'update', file('TEMPLATE')], /shared/);
    await prints(
      'submit --from',
      ['submit', '--from', 'workflowtemplate/shared', '--wait'],
      /shared-\w+ Succeeded/,
    );
    await prints('template delete', ['template', 'delete', 'shared'], /deleted/i);
    await prints(
      'cluster-template create',
      ['cluster-template', 'create', file('CLUSTER_TEMPLATE')],
      /shared/,
    );
    await prints('cluster-template get', ['cluster-template', 'get', 'shared'], /Name:\s+shared/);
    await prints('cluster-template list', ['cluster-template', 'list'], /shared/);
    await prints(
      'submit --from a cluster template',
      ['submit', '--from', 'clusterworkflowtemplate/shared', '--wait'],
      /shared-\w+ Succeeded/,
    );
    await prints('cluster-template delete', ['cluster-template', 'delete', 'shared'], /deleted/i);
    await prints('cron create', ['cron', 'create', file('CRON')], /Name:\s+nightly/);
    await prints('cron list', ['cron', 'list'], /nightly/);
    await prints('cron suspend', ['cron', 'suspend', 'nightly'], /suspended/i);
    await prints('cron get', ['cron', 'get', 'nightly'], /Suspended:\s+true/);
    await prints('cron resume', ['cron', 'resume', 'nightly'], /resumed/i);
    await prints(
      'submit --from a cron workflow',
      ['submit', '--from', 'cronwf/nightly', '--wait'],
      /nightly-\w+ Succeeded/,
    );
    await checks.expected('cron delete', async () => {
      await argo('cron', 'delete', 'nightly');
      assert.doesNotMatch(await argo('cron', 'list'), /nightly/);
    });
    await checks.expected('delete', async () => {
      assert.match(await argo('delete', 'hello', 'two-steps'), /'hello' deleted[\s\S]*'two-steps' deleted/);
      await argo('delete', '--all');
      assert.equal(await named('list -o name'), 'No workflows found');
    });
    await checks.differs(
      'archive list',
      'Turnsole keeps no archive of workflows, and the command needs Argo’s own server',
      async () => {
        await stage.fails(program(PROGRAM), ['-n', NAMESPACE, 'archive', 'list']);
      },
    );
  },
};

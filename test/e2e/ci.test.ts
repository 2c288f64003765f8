/** What a pipeline gets: reports whatever happened, artifacts, marks and a summary; the action's steps and the GitLab template are run. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { webApp } from '../support/manifests.ts';
import { MAIN, temporaryFolder, turnsole } from '../support/turnsole.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const FAULT = ['--fault', 'pod-delete', '--target', 'deployment/web', '--no-timeline', '--isolation', 'none'];
const SHORT = ['--set', 'TOTAL_CHAOS_DURATION=2', '--set', 'CHAOS_INTERVAL=2'];

describe('reports when nothing ran', () => {
  const cases: [what: string, manifests: string, code: number, error: string, options: string[]][] = [
    ['a wrong manifest', 'kind: Deployment\n', 2, 'INPUT_REFUSED', []],
    ['a missing image', webApp(1).replace('turnsole/sample-web', 'shop/none'), 3, 'IMAGES_MISSING', []],
    [
      'an application that is not ready',
      webApp(1).replace('port: http }, periodSeconds', 'port: 8099 }, periodSeconds'),
      3,
      'WORKLOAD_NOT_READY',
      ['--ready-timeout', '3s'],
    ],
  ];
  for (const [what, manifests, code, error, options] of cases)
    it(what, async () => {
      await using folder = await temporaryFolder();
      const [file, junit, json, artifacts] = ['app.yaml', 'out.xml', 'out.json', 'artifacts'].map((name) =>
        join(folder.path, name),
      ) as [string, string, string, string];
      await writeFile(file, manifests);
      const reports = ['--junit', junit, '--json', json, '--artifacts', artifacts];
      const ran = await turnsole(['run', ...FAULT, ...options, ...reports, file]);
      assert.equal(ran.code, code, ran.stdout + ran.stderr);
      const xml = await readFile(junit, 'utf8');
      assert.match(xml, /<testsuites name="turnsole" tests="1" failures="0" errors="1"/);
      assert.match(xml, /<testcase name="run" classname="turnsole"/);
      assert.match(xml, new RegExp(`<error message="[^"]+" type="${error}">`));
      const report = JSON.parse(await readFile(json, 'utf8'));
      assert.equal(report.failure.code, error);
      assert.equal(report.outcome.exitCode, code);
      assert.equal(await readFile(join(artifacts, 'junit.xml'), 'utf8'), xml);
      if (error !== 'WORKLOAD_NOT_READY') return;
      const [pod = ''] = await readdir(join(artifacts, 'default', 'logs'));
      assert.match(await readFile(join(artifacts, 'default', 'logs', pod, 'web.log'), 'utf8'), /listening/);
      assert.match(await readFile(join(artifacts, 'default', 'events.txt'), 'utf8'), /Unhealthy/);
    });
});

describe('the GitHub action', () => {
  it('runs, marks what is wrong, writes a summary, and gives the folder of the artifacts', async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'app.yaml'), webApp(2));
    const steps = parse(await readFile(join(ROOT, 'action.yml'), 'utf8')).runs.steps as readonly Step[];
    const step = steps.find(({ id }) => id === 'run');
    assert.ok(step?.run);
    const inputs: Record<string, string> = {
      args: ['app.yaml', ...FAULT, ...SHORT].join(' '),
      command: `${process.execPath} ${MAIN}`,
      isolation: 'user',
    };
    const passed = await runStep(step, inputs, folder.path);
    assert.equal(passed.code, 0, passed.output);
    const [, artifacts = ''] = /^folder=(.*)$/m.exec(passed.outputs) ?? [];
    assert.match(await readFile(join(artifacts, 'junit.xml'), 'utf8'), /name="pod-delete"/);
    assert.match(
      passed.summary,
      /## Chaos: Passed\n[\s\S]*\| default\/web-pod-delete \| pod-delete \| ✅ Pass \| 1\/1 \|/,
    );
    const held = await readdir(join(artifacts, 'default'));
    assert.ok(held.includes('objects.yaml') && held.includes('web-pod-delete-timeline.html'), held.join());
    const logs = await readdir(join(artifacts, 'default', 'logs'));
    for (const part of ['web-', 'web-pod-delete-runner', 'pod-delete-'])
      assert.ok(
        logs.some((pod) => pod.startsWith(part)),
        `${part}: ${logs.join()}`,
      );
    const refused = await runStep(step, { ...inputs, args: 'app.yaml' }, folder.path);
    assert.equal(refused.code, 2);
    assert.match(refused.output, /^::error file=app\.yaml,title=NOTHING_TO_RUN::app\.yaml: no ChaosEngine/m);
    assert.match(refused.summary, /## Chaos: Could not run/);
  });
});

interface Step {
  readonly id?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a step as a runner does: its environment from the inputs, files for outputs and summary. */
async function runStep(step: Step, inputs: Readonly<Record<string, string>>, cwd: string) {
  const given = Object.entries(step.env ?? {}).map(([name, value]) => [
    name,
    value.replace(/\$\{\{ inputs\.([\w-]+) \}\}/, (_, input: string) => inputs[input] ?? ''),
  ]);
  const files = { GITHUB_OUTPUT: join(cwd, 'outputs'), GITHUB_STEP_SUMMARY: join(cwd, 'summary') };
  for (const file of Object.values(files)) await writeFile(file, '');
  const ran = await script(step.run ?? '', cwd, {
    ...Object.fromEntries(given),
    ...files,
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION_PATH: ROOT,
    RUNNER_TEMP: cwd,
  });
  const [outputs, summary] = await Promise.all(Object.values(files).map((file) => readFile(file, 'utf8')));
  return { ...ran, outputs: outputs ?? '', summary: summary ?? '' };
}

function script(
  text: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    const all = { ...process.env, NO_COLOR: '1', ...env };
    execFile('bash', ['-e', '-c', text], { cwd, env: all }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    );
  });
}

describe('the GitLab template', () => {
  it('runs its script, and names files that are there', async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'app.yaml'), webApp(2));
    const job = parse(await readFile(join(ROOT, 'deploy', 'ci', 'gitlab.yml'), 'utf8'))['.turnsole'];
    const env = {
      TURNSOLE_COMMAND: `${process.execPath} ${MAIN}`,
      TURNSOLE_ARGS: ['app.yaml', ...FAULT, ...SHORT].join(' '),
    };
    const ran = await script(job.script.join('\n'), folder.path, env);
    assert.equal(ran.code, 0, ran.output);
    const xml = await readFile(join(folder.path, job.artifacts.reports.junit), 'utf8');
    assert.match(xml, /failures="0" errors="0"/);
    assert.deepEqual(job.artifacts.paths, ['turnsole-artifacts']);
  });
});

/**
 * Workflows that are no pass, each in another way, on a cluster that is connected to a server: what `remote … --wait` and `turnsole run`
 * print and end with, the list of runs, and the exports of server and command all say the same.
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createClient, loadKubeconfig } from '@turnsole/kube/client/index';
import { webApp } from '../support/manifests.ts';
import { type CommandOutcome, TurnsoleProcess, temporaryFolder, turnsole } from '../support/turnsole.ts';
import { applyText } from '../support/up.ts';

const EXPERIMENT = `
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosExperiment
metadata: { name: pod-delete, namespace: litmus }
spec:
  definition:
    scope: Namespaced
    image: litmuschaos/go-runner:latest
    command: [/bin/bash]
    args: [-c, ./experiments -name pod-delete]
    labels: { name: pod-delete }
`;

const CHAOS = `
    - name: chaos
      inputs:
        artifacts:
          - name: engine
            path: /tmp/engine.yaml
            raw:
              data: |
                apiVersion: litmuschaos.io/v1alpha1
                kind: ChaosEngine
                metadata: { generateName: pod-delete-, namespace: litmus, labels: { workflow_run_id: "{{workflow.uid}}", step_pod_name: "{{pod.name}}" } }
                spec:
                  engineState: active
                  appinfo: { appns: default, applabel: app=web, appkind: deployment }
                  chaosServiceAccount: litmus-admin
                  experiments:
                    - name: pod-delete
                      spec:
                        components:
                          env: [{ name: TOTAL_CHAOS_DURATION, value: "3" }, { name: CHAOS_INTERVAL, value: "3" }]
                        probe:
                          - name: users
                            type: httpProbe
                            mode: Continuous
                            httpProbe/inputs:
                              url: http://web.default.svc.cluster.local:8080/
                              method: { get: { criteria: ==, responseCode: "200" } }
                            runProperties: { probeTimeout: 10s, interval: 1s, retry: 5 }
      container:
        image: litmuschaos/litmus-checker:latest
        args: [-file=/tmp/engine.yaml, -saveName=/tmp/engine-name]`;

/** A template whose program ends with a code. */
function ends(name: string, code: number): string {
  return `
    - name: ${name}
      container: { image: litmuschaos/k8s:latest, command: [sh, -c], args: ["exit ${code}"] }`;
}

function workflow(name: string, templates: Readonly<Record<string, string>>): string {
  const steps = Object.keys(templates).map(
    (one) => `
        - - { name: ${one}, template: ${one} }`,
  );
  return `
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: ${name}, namespace: litmus }
spec:
  entrypoint: main
  serviceAccountName: argo-chaos
  templates:
    - name: main
      steps:${steps.join('')}${Object.values(templates).join('')}
`;
}

/** One way not to pass. */
interface Case {
  readonly name: string;
  readonly text: string;
  readonly word: string;
  readonly reason: string;
  readonly code: number;
  /** Element of the JUnit report. */
  readonly kind: 'failure' | 'error';
}

const CASES: readonly Case[] = [
  {
    name: 'smoke-fails',
    text: workflow('smoke-fails', { chaos: CHAOS, 'smoke-test': ends('smoke-test', 3) }),
    word: 'Failed',
    reason: 'smoke-test ended with exit code 3; the application held through the chaos',
    code: 1,
    kind: 'failure',
  },
  {
    name: 'no-fault',
    text: workflow('no-fault', { prepare: ends('prepare', 3) }),
    word: 'Failed',
    reason: 'prepare ended with exit code 3',
    code: 1,
    kind: 'failure',
  },
  {
    name: 'never-begins',
    text: workflow('never-begins', { prepare: ends('prepare', 3), chaos: CHAOS }),
    word: 'Failed',
    reason: 'prepare ended with exit code 3; nothing was injected',
    code: 1,
    kind: 'failure',
  },
  {
    name: 'refused',
    text: workflow('refused', {
      prepare: ends('prepare', 0).replace('exit 0', 'echo {{workflow.parameters.url}}'),
    }),
    word: 'Could not run',
    reason:
      'the workflow was refused: templates.main.steps[0].prepare templates.prepare: failed to resolve {{workflow.parameters.url}}',
    code: 3,
    kind: 'error',
  },
];

describe('workflows that are no pass', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let server: TurnsoleProcess;
  let env: Record<string, string>;
  let url = '';
  let token = '';
  let project = '';
  let kubeconfig = '';

  const headers = () => ({
    'content-type': 'application/json',
    ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
  });
  const file = (name: string): string => join(folder.path, name);
  async function succeeds(...args: string[]): Promise<CommandOutcome> {
    const outcome = await turnsole(args, env);
    assert.equal(outcome.code, 0, `${args.join(' ')}\n${outcome.stdout}\n${outcome.stderr}`);
    return outcome;
  }

  before(async () => {
    folder = await temporaryFolder();
    env = {
      ...{ HOME: folder.path, XDG_CONFIG_HOME: file('config'), XDG_STATE_HOME: file('state') },
      ...{ TURNSOLE_SERVER: '', TURNSOLE_TOKEN: '', TURNSOLE_PROJECT: '' },
    };
    kubeconfig = file('kubeconfig');
    server = new TurnsoleProcess(['server', '--data', file('data'), '--listen', '0'], env);
    url = (await server.line(/^ {2}address /)).split(/\s+/)[2] ?? '';
    const password = (await server.line(/^ {2}password /)).split(/\s+/)[2] ?? '';
    await succeeds('up', '--detach', '--kubeconfig', kubeconfig);
    await succeeds('connect', '--local');
    const client = createClient(await loadKubeconfig({ path: kubeconfig }));
    await applyText(client, `${webApp(2)}---${EXPERIMENT}`).finally(() => client.close());
    const login = await turnsole(['remote', 'login', url], { ...env, TURNSOLE_PASSWORD: password });
    assert.equal(login.code, 0, login.stderr);
    const body = JSON.stringify({ username: 'admin', password });
    const answer = await fetch(`${url}/auth/login`, { method: 'POST', headers: headers(), body });
    const signedIn = (await answer.json()) as { readonly accessToken: string; readonly projectID: string };
    token = signedIn.accessToken;
    project = signedIn.projectID;
  });
  after(async () => {
    await succeeds('down');
    await server.stop('SIGTERM');
    await folder[Symbol.asyncDispose]();
  });

  async function exported(run: string, form: string): Promise<string> {
    const answer = await fetch(`${url}/export/run/${project}/${run}/${form}`, { headers: headers() });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return text;
  }

  /** What the page shows of a run. */
  async function onPage(run: string): Promise<unknown> {
    const query = `query ($p: ID!, $run: ID) { getExperimentRun(projectID: $p, experimentRunID: $run) {
      outcome { word reason score exitCode } } }`;
    const body = JSON.stringify({ query, variables: { p: project, run } });
    const answer = await fetch(`${url}/query`, { method: 'POST', headers: headers(), body });
    const { data } = (await answer.json()) as {
      readonly data: { readonly getExperimentRun: { readonly outcome: unknown } };
    };
    return data.getExperimentRun.outcome;
  }

  for (const { name, text, word, reason, code, kind } of CASES) {
    test(`${name}: ${word}, ${reason}`, async () => {
      await writeFile(file(`${name}.yaml`), text);
      await succeeds('remote', 'experiment', 'save', file(`${name}.yaml`), '--infra', 'local');
      const waited = await turnsole(['remote', 'experiment', 'run', name, '--wait'], env);
      const told = `${waited.stdout}\n${waited.stderr}`;
      assert.equal(waited.code, code, told);
      assert.ok(waited.stdout.split('\n').includes(`${word}: ${reason}`), told);
      assert.match(waited.stdout, /^score none, /m);
      const [, run = ''] = /\(([0-9a-f-]{36})\)\n\w[^(]*:/.exec(waited.stdout) ?? [];
      assert.equal((await turnsole(['remote', 'run', 'wait', run], env)).code, code);
      assert.match((await succeeds('remote', 'run', 'list')).stdout, listed(run, name, word));
      assert.deepEqual(await onPage(run), { word, reason, score: null, exitCode: code });
      assert.deepEqual(outcomeIn(await exported(run, 'json')), [word, reason, code]);
      assert.ok((await exported(run, 'junit')).includes(`<${kind} message="${reason}"/>`));

      const [json, junit] = [file(`${name}.json`), file(`${name}.xml`)];
      const reports = ['--json', json, '--junit', junit, '--kubeconfig', kubeconfig];
      const ran = await turnsole(['run', file(`${name}.yaml`), ...reports], env);
      if (word === 'Could not run') {
        // The command does not even begin: it is the input that is wrong.
        assert.equal(ran.code, 2, ran.stdout);
        assert.ok(ran.stderr.includes(reason.replace(/^the workflow was refused: /, '')), ran.stderr);
        return;
      }
      assert.equal(ran.code, code, `${ran.stdout}\n${ran.stderr}`);
      assert.deepEqual(outcomeIn(await readFile(json, 'utf8')), [word, reason, code]);
      assert.ok((await readFile(junit, 'utf8')).includes(`<${kind} message="${reason}"/>`));
    });
  }
});

function listed(run: string, name: string, word: string): RegExp {
  return new RegExp(`^${run} +${name} +local +${word} +- `, 'm');
}

function outcomeIn(report: string): unknown[] {
  const { outcome } = JSON.parse(report);
  return [outcome?.word, outcome?.reason, outcome?.exitCode];
}

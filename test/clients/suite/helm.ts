import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Client } from './client.ts';

const CHART = join(import.meta.dirname, '../../../deploy/helm/turnsole');
const EXPERIMENT = {
  'Chart.yaml': 'apiVersion: v2\nname: shop-chaos\nversion: 0.1.0\n',
  'values.yaml': 'seconds: "10"\n',
  'templates/experiment.yaml': `apiVersion: litmuschaos.io/v1alpha1
kind: ChaosExperiment
metadata: { name: pod-delete, namespace: {{ .Release.Namespace }} }
spec:
  definition:
    scope: Namespaced
    permissions: []
    image: litmuschaos/go-runner:latest
    args: [-c, ./experiments -name pod-delete]
    command: [/bin/bash]
    env: [{ name: TOTAL_CHAOS_DURATION, value: {{ .Values.seconds | quote }} }]
    labels: { name: pod-delete }
`,
  'templates/engine.yaml': `apiVersion: litmuschaos.io/v1alpha1
kind: ChaosEngine
metadata: { name: shop, namespace: {{ .Release.Namespace }} }
spec:
  engineState: stop
  chaosServiceAccount: litmus-admin
  experiments: [{ name: pod-delete }]
`,
};

/** The package manager: Turnsole's chart, and one with a chaos experiment. */
export const HELM: Client = {
  name: 'helm',
  programs: ['helm'],
  covers:
    'lint, template, install --wait, status, get, upgrade, values that are wrong, history, rollback and uninstall of Turnsole’s chart; install, upgrade and uninstall of a chart with a ChaosExperiment and a ChaosEngine',
  version: async ({ stage, program }) =>
    /v([\d.]+)/.exec(await stage.ok(program('helm'), ['version', '--short']))?.[1] ?? 'unknown',
  async run({ stage, program, checks }) {
    await stage.cluster();
    const helm = (...args: string[]): Promise<string> => stage.ok(program('helm'), args);
    const prints = (name: string, args: string[], pattern: RegExp): Promise<void> =>
      checks.expected(name, async () => assert.match(await helm(...args), pattern));
    const release = ['turnsole', '-n', 'litmus'];
    await prints('lint', ['lint', CHART], /0 chart\(s\) failed/);
    await prints('template', ['template', ...release, CHART], /kind: Deployment/);
    await prints(
      'install --wait',
      ['install', ...release, CHART, '--create-namespace', '--wait', '--timeout', '120s'],
      /STATUS: deployed/,
    );
    await prints('status', ['status', ...release], /STATUS: deployed/);
    await prints('list', ['list', '-A'], /turnsole\s+litmus\s+1\s/);
    await prints('get manifest', ['get', 'manifest', ...release], /kind: Deployment/);
    await prints(
      'upgrade --wait',
      ['upgrade', ...release, CHART, '--wait', '--timeout', '120s'],
      /REVISION: 2/,
    );
    await prints('history', ['history', ...release], /superseded[\s\S]*deployed/);
    await prints(
      'rollback',
      ['rollback', ...release, '1', '--wait', '--timeout', '120s'],
      /Rollback was a success/,
    );
    await checks.expected('values that are wrong are refused', async () => {
      const printed = await stage.fails(program('helm'), [
        'upgrade',
        ...release,
        CHART,
        '--set',
        'nothingOfIt=1',
      ]);
      assert.match(printed, /nothingOfIt/);
    });
    for (const [name, text] of Object.entries(EXPERIMENT)) await stage.file(`shop-chaos/${name}`, text);
    const chart = join(stage.folder, 'shop-chaos');
    await prints(
      'install of an experiment',
      ['install', 'shop-chaos', chart, '-n', 'litmus'],
      /STATUS: deployed/,
    );
    await prints(
      'upgrade of an experiment',
      ['upgrade', 'shop-chaos', chart, '-n', 'litmus', '--set', 'seconds=20'],
      /REVISION: 2/,
    );
    await prints(
      'uninstall of an experiment',
      ['uninstall', 'shop-chaos', '-n', 'litmus', '--wait'],
      /uninstalled/,
    );
    await prints('uninstall', ['uninstall', ...release, '--wait'], /uninstalled/);
  },
};

/**
 * Runs in every way that a run can go, for real on an embedded cluster: for each the states that the page shows, from its beginning to its end, and
 * what the command ends with, come from one table of states.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Deployment } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS } from '@turnsole/kube/kinds/resources';
import { until } from '@turnsole/kube/testing/until';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { CHAOS_ENGINES } from '../../src/api/index.ts';
import { RUN_STATES, type RunState, stateRow } from '../../src/services/report/outcome/run-states.ts';
import {
  chaosAccount,
  documents,
  type EngineOptions,
  engine,
  experiment,
  webApp,
  webProbe,
} from '../support/manifests.ts';
import { TurnsoleProcess } from '../support/turnsole.ts';
import { applyText, type DetachedCluster, detachedCluster } from '../support/up.ts';

/** Runs at a time. */
const TOGETHER = 3;

/** One way in which a run can go. */
interface Situation {
  readonly what: string;
  readonly options?: Omit<EngineOptions, 'name'>;
  /** Changes the text of the engine, or puts something in its place. */
  change?(text: string): string;
  /** What the command ends with. */
  readonly code: number;
  /** How it stands in the end; absent where nothing of it comes into the cluster. */
  readonly end?: RunState;
  /** States in which it was seen before. */
  readonly before?: readonly RunState[];
  /** When it is in this state, a user stops it: with Ctrl-C, or by its `engineState`. */
  readonly stop?: {
    readonly at: RunState;
    readonly by: 'key' | 'engine';
    /** What the command has printed before. */
    readonly after?: RegExp;
  };
}

const LONG = { TOTAL_CHAOS_DURATION: '600', CHAOS_INTERVAL: '600' };
const SHORT = { TOTAL_CHAOS_DURATION: '4', CHAOS_INTERVAL: '4' };
const one = (probes?: string, env: Readonly<Record<string, string>> = SHORT): EngineOptions => ({
  experiments: [{ name: 'pod-delete', env, ...(probes !== undefined && { probes }) }],
});
/** Adds a field to the specification of an engine. */
const withField = (field: string) => (text: string) => text.replace('\nspec:\n', `\nspec:\n  ${field}\n`);
const withRunner = (field: string) => withField(`components: { runner: { ${field} } }`);

/** A workflow of one step, with the name of the engine in whose place it is. */
const workflow = (command: string) => (text: string) =>
  `
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: ${/name: (situation-\d+)/.exec(text)?.[1]}, namespace: default }
spec:
  entrypoint: main
  templates:
    - name: main
      container: { image: busybox, command: [sh, -c], args: ["${command}"] }
`;

const SITUATIONS: readonly Situation[] = [
  {
    what: 'a probe holds',
    options: one(webProbe('Edge')),
    ...{ code: 0, end: 'passed', before: ['starting', 'chaos'] },
  },
  { what: 'nothing is checked', options: one(), code: 0, end: 'unchecked', before: ['chaos'] },
  { what: 'a probe fails in the end', options: one(webProbe('EOT', '418')), code: 1, end: 'failedByProbe' },
  {
    what: 'a probe fails and ends it',
    options: one(
      webProbe('Continuous', '418').replace('attempt: 3', 'attempt: 1, stopOnFailure: true'),
      LONG,
    ),
    // It looks at once, maybe before the first injection.
    ...{ code: 1, end: 'failedByProbe', before: ['stopping'] },
  },
  {
    what: 'of two faults one fails',
    options: {
      experiments: [{ name: 'pod-delete' }, { name: 'container-kill', probes: webProbe('EOT', '418') }],
    },
    ...{ code: 1, end: 'failedByProbe' },
  },
  {
    what: 'of two faults one checks nothing',
    options: { experiments: [{ name: 'pod-delete', probes: webProbe('EOT') }, { name: 'container-kill' }] },
    ...{ code: 0, end: 'passed' },
  },
  {
    what: 'a probe fails before the chaos',
    options: one(webProbe('SOT', '418')),
    ...{ code: 5, end: 'notSteady' },
  },
  { what: 'a dry run', change: withField('dryRun: true'), code: 4, end: 'dryRun' },
  {
    what: 'the application is not healthy',
    options: {
      label: 'app=sick',
      experiments: [{ name: 'pod-delete', env: { DEFAULT_HEALTH_CHECK: 'true', STATUS_CHECK_TIMEOUT: '6' } }],
    },
    ...{ code: 5, end: 'notSteady', before: ['waiting'] },
  },
  {
    what: 'it is stopped while it waits for the application',
    options: {
      label: 'app=sick',
      experiments: [
        { name: 'pod-delete', env: { DEFAULT_HEALTH_CHECK: 'true', STATUS_CHECK_TIMEOUT: '600' } },
      ],
    },
    stop: { at: 'waiting', by: 'key' },
    ...{ code: 130, end: 'stopped', before: ['waiting'] },
  },
  {
    what: 'it is stopped by a key during the chaos',
    options: one(undefined, LONG),
    stop: { at: 'chaos', by: 'key' },
    ...{ code: 130, end: 'stopped', before: ['chaos'] },
  },
  {
    what: 'it is stopped by a key after its probe has failed',
    options: one(webProbe('Continuous', '418').replace('attempt: 3', 'attempt: 1'), LONG),
    change: withField('steadyState: ignore'),
    stop: { at: 'chaos', by: 'key', after: /instead of 418/ },
    ...{ code: 130, end: 'stopped', before: ['chaos'] },
  },
  {
    what: 'somebody stops the engine during the chaos',
    options: one(undefined, LONG),
    stop: { at: 'chaos', by: 'engine' },
    ...{ code: 1, end: 'stopped', before: ['chaos'] },
  },
  {
    what: 'no node for the runner',
    change: withRunner('nodeSelector: { nowhere: x }'),
    stop: { at: 'blocked', by: 'key' },
    ...{ code: 130, end: 'stopped', before: ['blocked'] },
  },
  {
    what: 'no image for the runner',
    change: withRunner('image: registry.invalid/nobody/nothing:1'),
    stop: { at: 'blocked', by: 'key' },
    ...{ code: 130, end: 'stopped', before: ['blocked'] },
  },
  {
    what: 'a step of a workflow fails',
    change: workflow('exit 3'),
    ...{ code: 1, end: 'failedByStep', before: ['running'] },
  },
  {
    what: 'a workflow cannot be made out',
    change: workflow('echo {{inputs.parameters.gone}}'),
    code: 2,
  },
  { what: 'there is no such fault', options: { experiments: [{ name: 'pod-delet' }] }, code: 2 },
  { what: 'there is no such account', options: { account: 'nobody' }, code: 2 },
  { what: 'nothing has the label', options: { label: 'app=nothing' }, code: 2 },
  {
    what: 'a setting cannot be read',
    options: one(undefined, { TOTAL_CHAOS_DURATION: 'soon' }),
    code: 2,
  },
  {
    what: 'a field is misspelled',
    change: (text) => text.replace('engineState', 'engineStat'),
    code: 2,
  },
];

/** A Deployment whose pod does not become ready. */
const SICK = {
  metadata: { name: 'sick', labels: { app: 'sick' } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'sick' } },
    template: {
      metadata: { labels: { app: 'sick' } },
      spec: {
        containers: [
          {
            ...{ name: 'sick', image: 'turnsole/sample-web' },
            readinessProbe: { httpGet: { path: '/nowhere', port: 8080 }, periodSeconds: 1 },
          },
        ],
      },
    },
  },
};

describe('a run that goes in any way', { concurrency: TOGETHER }, () => {
  let cluster: DetachedCluster;
  let ui: TurnsoleProcess;
  /** States in which each engine or workflow was seen, in order. */
  const seen = new Map<string, string[]>();
  let watching: { dispose(): void | Promise<void> };
  before(async () => {
    cluster = await detachedCluster();
    const { client, kubeconfig, folder } = cluster;
    const app = [webApp(), chaosAccount(), experiment('pod-delete'), experiment('container-kill')];
    await applyText(client, documents(...app));
    await client.create<Deployment>(DEPLOYMENTS, SICK, { namespace: 'default' });
    ui = new TurnsoleProcess([
      ...['ui', '--no-open', '--kubeconfig', kubeconfig, '--data', join(folder, 'ui')],
    ]);
    const link = (await ui.line(/\/enter\?key=/)).trim();
    const [cookie = ''] = (await fetch(link, { redirect: 'manual' })).headers.getSetCookie();
    watching = await watchStates(new URL(link).origin, cookie.split(';', 1)[0] ?? '');
  });
  after(async () => {
    await watching?.dispose();
    await ui?.stop('SIGINT');
    await cluster?.[Symbol.asyncDispose]();
  });

  /** Keeps what the page is told of their states. */
  async function watchStates(origin: string, cookie: string): Promise<typeof watching> {
    class PageSocket extends WebSocket {
      constructor(url: string, protocols: string) {
        super(url, protocols, { headers: { cookie, origin } });
      }
    }
    const socket = createClient({ url: `${origin.replace('http', 'ws')}/query`, webSocketImpl: PageSocket });
    const query =
      'subscription { watchClusterObjects(kinds: [ChaosEngine, Workflow]) { objects { name state } } }';
    const events = socket.iterate<{ watchClusterObjects: { objects: { name: string; state: string }[] } }>({
      query,
    });
    void (async () => {
      for await (const { data } of events) {
        for (const { name, state } of data?.watchClusterObjects.objects ?? []) {
          const states = seen.get(name) ?? [];
          if (states.at(-1) !== state) seen.set(name, [...states, state]);
        }
      }
    })();
    return socket;
  }

  for (const [
    index,
    { what, options, change, code, end, before: earlier = [], stop },
  ] of SITUATIONS.entries()) {
    it(`${what}: ${end === undefined ? 'refused' : RUN_STATES[end].label}, exit code ${code}`, async () => {
      const name = `situation-${index}`;
      const { folder, kubeconfig, client } = cluster;
      const file = join(folder, `${name}.yaml`);
      const text = engine({ ...options, name });
      await writeFile(file, change?.(text) ?? text);
      const states = (): readonly string[] => seen.get(name) ?? [];
      await using command = new TurnsoleProcess(['run', file, '--kubeconfig', kubeconfig]);
      if (stop !== undefined) {
        await until(
          () => states().includes(stop.at),
          () => `${name} is not ${stop.at}: ${states().join(', ')}`,
        );
        if (stop.after !== undefined) await command.line(stop.after);
        if (stop.by === 'engine')
          await client.patch(
            CHAOS_ENGINES,
            name,
            'merge',
            { spec: { engineState: 'stop' } },
            { namespace: 'default' },
          );
      }
      const ended = await (stop?.by === 'key' ? command.stop('SIGINT') : command.ended);
      const told = `${states().join(', ')}\n${ended.stdout}\n${ended.stderr}`;
      assert.equal(ended.code, code, told);
      if (end === undefined) {
        assert.deepEqual(states(), [], told);
        return;
      }
      await until(
        () => states().at(-1) === end,
        () => `${name} is not ${end} on the page: ${told}`,
        20_000,
      );
      for (const state of earlier) assert.ok(states().includes(state), `${state} was not seen: ${told}`);
      if (stop?.by !== 'engine') assert.equal(stateRow(end)?.exitCode, code);
    });
  }
});

/**
 * Runs in every way that a run can go, for real on an embedded cluster: for each the states that the page shows, from its beginning to its end, and
 * what the command ends with, come from one table of states.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { until } from '@turnsole/kube/testing/until';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { CHAOS_ENGINES } from '../../src/api/index.ts';
import { RUN_STATES, stateRow } from '../../src/services/report/outcome/run-states.ts';
import { manifestOf, nameOf, prepareSituations, SITUATIONS } from '../support/run-situations.ts';
import { TurnsoleProcess } from '../support/turnsole.ts';
import { type DetachedCluster, detachedCluster } from '../support/up.ts';

/** Runs at a time. */
const TOGETHER = 3;

describe('a run that goes in any way', { concurrency: TOGETHER }, () => {
  let cluster: DetachedCluster;
  let ui: TurnsoleProcess;
  /** States in which each engine or workflow was seen, in order. */
  const seen = new Map<string, string[]>();
  let watching: { dispose(): void | Promise<void> };
  before(async () => {
    cluster = await detachedCluster();
    const { client, kubeconfig, folder } = cluster;
    await prepareSituations(client);
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

  // Where chaos is halted, the command waits for its release, and then takes its engine back: only an agent's run stays blocked.
  for (const situation of SITUATIONS.filter(({ namespace }) => namespace !== 'halted')) {
    const { what, code, end, before: earlier = [], stop } = situation;
    it(`${what}: ${end === undefined ? 'refused' : RUN_STATES[end].label}, exit code ${code}`, async () => {
      const name = nameOf(situation);
      const { folder, kubeconfig, client } = cluster;
      const file = join(folder, `${name}.yaml`);
      await writeFile(file, manifestOf(situation));
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
      const ended = await (stop?.by === 'user' ? command.stop('SIGINT') : command.ended);
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

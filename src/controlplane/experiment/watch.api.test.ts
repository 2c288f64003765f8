import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { executionText } from '../run/testing/execution.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { Scene } from './testing/scene.ts';

const WATCH_RUN = `subscription ($p: ID!, $run: ID, $notify: ID) {
  watchRun(projectID: $p, experimentRunID: $run, notifyID: $notify) { experimentRunID phase experimentName infra { infraID } }
}`;
const WATCH_PROJECT = `subscription ($p: ID!, $since: String) {
  watchProject(projectID: $p, since: $since) { cursor changes { kind id } }
}`;
const REMOVE = `mutation ($p: ID!, $id: String!, $run: String) {
  deleteChaosExperiment(projectID: $p, experimentID: $id, experimentRunID: $run)
}`;

interface Changes {
  readonly cursor: string;
  readonly changes: readonly { readonly kind: string; readonly id: string }[];
}

describeOnDatabases('watching runs', (database) => {
  async function opened(): Promise<{ scene: Scene; socket: Client }> {
    const scene = await Scene.start(database);
    const url = `${(await scene.server.listen()).replace('http', 'ws')}/query`;
    const connectionParams = { authorization: `Bearer ${scene.owner.token}` };
    const socket = createClient({ url, webSocketImpl: WebSocket, connectionParams, retryAttempts: 0 });
    after(() => socket.dispose());
    await scene.save('e1');
    return { scene, socket };
  }

  /** Asks for the next event of a subscription, or the message of its refusal. */
  function events<Told>(
    { scene, socket }: { scene: Scene; socket: Client },
    query: string,
    variables: object,
  ): () => Promise<Told | string | undefined> {
    const iterator = socket.iterate<Record<string, Told>>({
      query,
      variables: { p: scene.project, ...variables },
    });
    return async () => {
      const { value } = await iterator.next();
      return value?.errors?.[0]?.message ?? Object.values(value?.data ?? {})[0];
    };
  }

  test('watchRun: a run by its start, as it is and after each change, until it is deleted', async () => {
    const of = await opened();
    const { scene } = of;
    const notify = await scene.run('e1');
    const next = events(of, WATCH_RUN, { notify });
    const shown = { experimentName: 'shop', infra: { infraID: scene.agent.infraID } };
    assert.deepEqual(await next(), { ...shown, experimentRunID: '', phase: 'Queued' });

    const event = { experimentID: 'e1', runID: 'r1', notifyID: notify };
    await scene.report(event);
    assert.deepEqual(await next(), { ...shown, experimentRunID: 'r1', phase: 'Running' });
    // What happens to another run is nothing to this one.
    await scene.run('e1');
    const engine = {
      engineName: 'pod-deleteabcde',
      experimentVerdict: 'Pass',
      probeSuccessPercentage: '100',
    };
    const text = executionText([engine], { phase: 'Completed', finishedAt: '9' });
    await scene.report({ ...event, text, completed: true });
    assert.deepEqual(await next(), { ...shown, experimentRunID: 'r1', phase: 'Completed' });

    await scene.data(REMOVE, { id: 'e1', run: 'r1' });
    assert.equal(await next(), undefined);
    assert.match(String(await events(of, WATCH_RUN, { run: 'r1' })()), /no matching experiment run/);
  });

  test('watchProject: what changes, from the cursor on that was seen last', async () => {
    const of = await opened();
    const { scene } = of;
    const next = events<Changes>(of, WATCH_PROJECT, {});
    const first = (await next()) as Changes;
    assert.deepEqual(first.changes, []);
    const notify = await scene.run('e1');
    const second = (await next()) as Changes;
    assert.deepEqual(second.changes, [{ kind: 'run', id: notify }]);
    assert.ok(Number(second.cursor) > Number(first.cursor));

    await scene.report({ experimentID: 'e1', runID: 'r1', notifyID: notify });
    const later = events<Changes>(of, WATCH_PROJECT, { since: second.cursor });
    assert.deepEqual(await later(), { cursor: second.cursor, changes: [] });
    assert.deepEqual(((await later()) as Changes).changes, [{ kind: 'run', id: 'r1' }]);
    await scene.data(REMOVE, { id: 'e1', run: 'r1' });
    assert.deepEqual(((await later()) as Changes).changes, [{ kind: 'run', id: 'r1' }]);

    const wrong = events(of, WATCH_PROJECT, { since: '-1' });
    assert.match(String(await wrong()), /since must be a cursor/);
  });
});

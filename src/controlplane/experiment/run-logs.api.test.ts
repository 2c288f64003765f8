import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { Scene } from './testing/scene.ts';

const RECORD = `mutation ($r: RunRecordRequest!) { runRecord(request: $r) }`;
const PODS = `subscription ($p: ID!) {
  getRunPods(projectID: $p, experimentRunID: "uid") { pods { name isKept } }
}`;
const RUN = `query ($p: ID!) { getExperimentRun(projectID: $p, experimentRunID: "uid") { keptLogs timeline } }`;
const logOf = (pod: string, fields = 'container text leftOutBytes isOver'): string =>
  `query ($p: ID!) { getRunPodLog(projectID: $p, experimentRunID: "uid", namespace: "shop", pod: "${pod}") { ${fields} } }`;

/** When the pods of these logs were made. */
const at = (number: number): string => new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString();

describeOnDatabases('logs that are kept with runs', (database) => {
  async function scene(): Promise<Scene> {
    const made = await Scene.start(database);
    await made.save('e1');
    const notifyID = await made.run('e1');
    await made.report({ experimentID: 'e1', runID: 'uid', notifyID });
    return made;
  }

  async function report({ server, agent }: Scene, change: object): Promise<unknown> {
    const log = {
      ...{ kind: 'PodLog', namespace: 'shop', name: 'e-x-1', container: 'main', createdAt: at(0) },
      ...{ text: `${at(1)} hello\n`, leftOutBytes: 0, isOver: true, ...change },
    };
    const record = deflateRawSync(JSON.stringify(log)).toString('base64');
    return (await server.data(RECORD, { r: { infraID: agent, experimentRunID: 'uid', record } })).runRecord;
  }

  test('runRecord, getRunPodLog, getRunPods: what an agent tells of a log is there when its pod is gone, and no step of the run', async () => {
    const of = await scene();
    assert.equal((await of.data(logOf('e-x-1'))).getRunPodLog, null);
    assert.equal(await report(of, { isOver: false }), 'TAKEN');
    assert.equal(await report(of, { text: `${at(1)} hello\n${at(2)} <b>\n` }), 'TAKEN');
    assert.deepEqual((await of.data(logOf('e-x-1'))).getRunPodLog, {
      container: 'main',
      text: `${at(1)} hello\n${at(2)} <b>\n`,
      leftOutBytes: 0,
      isOver: true,
    });
    assert.deepEqual((await of.data(PODS)).getRunPods, { pods: [{ name: 'e-x-1', isKept: true }] });
    assert.deepEqual((await of.data(RUN)).getExperimentRun, { keptLogs: 1, timeline: null });
    const { app, owner, project } = { app: of.server.app, owner: of.owner, project: of.project };
    const { body } = await app.inject({
      url: `/export/run/${project}/uid/html`,
      headers: { authorization: `Bearer ${owner.token}` },
    });
    assert.match(body, /<summary>shop\/e-x-1 <small>main, 2 lines<\/small><\/summary>/);
    assert.match(body, /&lt;b&gt;/);
  });

  test('runRecord: of a long log the end is kept, and of many logs those of the latest pods', async () => {
    const of = await scene();
    const line = `${at(1)} ${'x'.repeat(100)}\n`;
    await report(of, { text: line.repeat(1000), leftOutBytes: 7 });
    const { text, leftOutBytes } = (await of.data(logOf('e-x-1'))).getRunPodLog as {
      text: string;
      leftOutBytes: number;
    };
    assert.ok(
      text.length <= 64 * 1024 && text.length > 64 * 1024 - 2 * line.length && text.startsWith(at(1)),
    );
    assert.equal(leftOutBytes, 7 + 1000 * line.length - text.length);
    for (let number = 1; number <= 64; number++)
      await report(of, { name: `helper-${number}`, createdAt: at(number) });
    assert.equal((await of.data(logOf('e-x-1'))).getRunPodLog, null);
    const { pods } = (await of.data(PODS)).getRunPods as { pods: { name: string }[] };
    assert.deepEqual([pods.length, pods[0]?.name, pods.at(-1)?.name], [64, 'helper-1', 'helper-64']);
  });

  test('runRecord: what is no log is refused', async () => {
    const of = await scene();
    for (const change of [{ name: '' }, { namespace: 7 }, { text: null }, { kind: 'Log' }])
      await assert.rejects(report(of, change), /cannot take the record of a run/);
  });
});

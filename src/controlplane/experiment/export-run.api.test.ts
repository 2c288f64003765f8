/** Runs as files, by address: the same forms as the command's reports. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executionText } from '../run/testing/execution.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { Scene } from './testing/scene.ts';

const HOSTILE = '</script><script>alert(1)</script>\u202e\u0007';
const ENDED = executionText(
  [
    {
      engineName: 'pod-deleteabcde',
      experimentVerdict: 'Fail',
      probeSuccessPercentage: '0',
      probeStatuses: [
        { name: HOSTILE, mode: 'EOT', status: { verdict: 'Failed', description: 'too <slow>' } },
      ],
    },
  ],
  { phase: 'Completed', finishedAt: '9' },
);

describeOnDatabases('exports of runs', (database) => {
  test('GET /export/run/:project_id/:run_id/:format: HTML, JUnit and JSON, as files that cannot act for who opens them', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1');
    const notify = await scene.run('e1');
    const event = { experimentID: 'e1', runID: 'uid', notifyID: notify };
    await scene.report({ ...event, text: ENDED, completed: true });
    const get = (format: string, run = 'uid', token: string | undefined = scene.owner.token) =>
      scene.server.app.inject({
        url: `/export/run/${scene.project}/${run}/${format}`,
        headers: token === '' ? {} : { authorization: `Bearer ${token}` },
      });

    const html = await get('html');
    assert.equal(html.statusCode, 200, html.body);
    assert.match(String(html.headers['content-disposition']), /^attachment; filename="shop-1\.html"$/);
    assert.match(String(html.headers['content-security-policy']), /; sandbox allow-scripts$/);
    assert.equal(html.body.includes('<script>alert'), false);
    assert.match(html.body, /<h1>shop, run 1<\/h1>/);

    const junit = await get('junit');
    assert.match(String(junit.headers['content-type']), /^application\/xml/);
    assert.match(junit.body, /<testsuite name="litmus\/pod-deleteabcde" tests="1" failures="1"/);
    assert.match(junit.body, /too &lt;slow&gt;/);
    assert.equal(junit.body.includes('\u0007'), false);

    const report = JSON.parse((await get('json')).body);
    assert.deepEqual(
      [report.aborted, report.engines[0].experiments[0].verdict, report.workflows[0].engines],
      [false, 'Fail', ['litmus/pod-deleteabcde']],
    );

    const markdown = await get('markdown');
    assert.match(String(markdown.headers['content-disposition']), /filename="shop-1\.md"$/);
    assert.match(markdown.body, /^## Chaos: Failed\n/);
    const badge = await get('badge');
    assert.match(String(badge.headers['content-type']), /^image\/svg\+xml/);
    assert.match(badge.body, /<title>chaos: Failed by a probe<\/title>/);

    assert.equal((await get('pdf')).statusCode, 400);
    assert.equal((await get('html', 'other')).statusCode, 404);
    assert.equal((await get('html', 'uid', '')).statusCode, 401);
    const stranger = await scene.server.user('sid');
    assert.equal((await get('html', 'uid', stranger.token)).statusCode, 403);
  });

  test('GET /export/run/:project_id/:run_id/:format: a run whose report is empty is exported without engines', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1');
    const event = { experimentID: 'e1', runID: 'uid', notifyID: await scene.run('e1') };
    await scene.report({ ...event, text: executionText([]) });
    const { body } = await scene.server.app.inject({
      url: `/export/run/${scene.project}/uid/json`,
      headers: { authorization: `Bearer ${scene.owner.token}` },
    });
    assert.deepEqual(JSON.parse(body).engines, []);
  });
});

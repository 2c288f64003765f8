import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { bodyOf, signatureOf } from './body.ts';

const NOTICE = {
  id: 'd1',
  at: Date.parse('2030-01-01T00:00:00Z'),
  project: 'p',
  event: 'RUN_ENDED',
  summary: 'Run 2 of [x](http://evil) <!channel> ended: Fail',
  details: { score: 40, infra: null, experiment: '*bold*' },
} as const;

test('a generic body has everything as it is', () => {
  assert.deepEqual(JSON.parse(bodyOf('GENERIC', NOTICE)), {
    id: 'd1',
    event: 'RUN_ENDED',
    project: 'p',
    time: '2030-01-01T00:00:00.000Z',
    summary: NOTICE.summary,
    details: NOTICE.details,
  });
});

test('a name that a user has chosen makes no link and mentions no member of a channel', () => {
  const slack = JSON.parse(bodyOf('SLACK', NOTICE));
  assert.equal(slack.text, 'Run 2 of [x](http://evil) &lt;!channel&gt; ended: Fail');
  assert.deepEqual(slack.blocks[0].text, { type: 'plain_text', text: NOTICE.summary });
  assert.equal(slack.blocks[1].elements.length, 2);

  const card = JSON.parse(bodyOf('TEAMS', NOTICE)).attachments[0].content;
  assert.equal(card.body[0].text, String.raw`Run 2 of \[x\]\(http://evil\) \<!channel\> ended: Fail`);
  assert.deepEqual(card.body[1].facts, [
    { title: 'score', value: '40' },
    { title: 'experiment', value: String.raw`\*bold\*` },
  ]);
});

test('a body without details has no empty block', () => {
  assert.equal(JSON.parse(bodyOf('SLACK', { ...NOTICE, details: {} })).blocks.length, 1);
});

test('a signature is over the time and the body', () => {
  const mac = createHmac('sha256', 's').update('1893456000.{}').digest('hex');
  assert.equal(signatureOf('s', '{}', NOTICE.at), `t=1893456000,v1=${mac}`);
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { signatureOf } from './body.ts';

const DOCS = readFileSync(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8');
const NOW = 1_893_456_000;
const BODY = '{"summary":"ünï 🌻"}';
const SIGNED = signatureOf('s', BODY, NOW * 1000);

/** What a receiver that follows docs/webhooks.md is shown, and whether it is to believe it. */
const SHOWN: readonly [what: string, header: string, body: string, now: number, believed: boolean][] = [
  ['what the server has sent', SIGNED, BODY, NOW + 299, true],
  ['another body', SIGNED, `${BODY} `, NOW, false],
  ['what was sent a while ago', SIGNED, BODY, NOW + 301, false],
  ['a time that was changed', SIGNED.replace(`${NOW}`, `${NOW + 600}`), BODY, NOW + 600, false],
  ['a signature of nothing', `t=${NOW},v1=`, BODY, NOW, false],
  ['no signature', '', BODY, NOW, false],
];

function example(language: string): string {
  return new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(DOCS)?.[1] ?? assert.fail(language);
}

test('receivers by the example in JavaScript accept messages of the server only', async () => {
  const { isFromTurnsole } = await import(`data:text/javascript,${encodeURIComponent(example('js'))}`);
  for (const [what, header, body, now, believed] of SHOWN) {
    assert.equal(isFromTurnsole('s', header, Buffer.from(body), now), believed, what);
    assert.equal(isFromTurnsole('other', header, Buffer.from(body), now), false, what);
  }
});

const python = spawnSync('python3', ['--version']).error === undefined;

test('receivers by the example in Python do so too', { skip: !python && 'there is no python3' }, () => {
  const program = `${example('python')}
import json, sys
for header, body, now in json.load(sys.stdin):
    print(is_from_turnsole("s", header, body.encode(), now))`;
  const input = JSON.stringify(SHOWN.map(([, header, body, now]) => [header, body, now]));
  const { stdout, stderr } = spawnSync('python3', ['-c', program], { input, encoding: 'utf8' });
  assert.deepEqual(
    stdout.trim().split('\n'),
    SHOWN.map(([, , , , believed]) => (believed ? 'True' : 'False')),
    stderr,
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BEGIN, END, lineOf, type Row, withRows } from './table.ts';

const ARGO: Row = {
  client: 'argo',
  version: '4.1.2',
  covers: 'submit, `logs -f`',
  outcomes: [
    { name: 'submit', outcome: 'expected' },
    { name: 'archive', outcome: 'differs', detail: 'there is no archive | none at all' },
    { name: 'logs', outcome: 'wrong', detail: 'exit code 1 after 12.4 s' },
  ],
};
const HELM: Row = {
  client: 'helm',
  version: '3.19.2',
  covers: 'install',
  outcomes: [{ name: 'install', outcome: 'expected' }],
};
const EMPTY = `before\n\n${BEGIN}\n${END}\n\nafter\n`;

test('a line has what was run, how many are as expected, and the others', () => {
  assert.equal(
    lineOf(ARGO),
    '| argo | 4.1.2 | submit, `logs -f` | 1 of 3 | archive: there is no archive \\| none at all; logs fails |',
  );
  assert.equal(lineOf(HELM), '| helm | 3.19.2 | install | 1 of 1 |  |');
});

test('the table stands between its lines, in the order of the clients', () => {
  const written = withRows(EMPTY, [HELM, ARGO], ['argo', 'helm']);
  assert.match(
    written,
    /^before\n\n<!-- clients.*\n\n\| client .*\n.*---.*\n\| argo .*\n\| helm .*\n\n<!-- clients: end -->\n\nafter\n$/,
  );
});

test('writing the same again changes nothing', () => {
  const written = withRows(EMPTY, [ARGO, HELM], ['argo', 'helm']);
  assert.equal(withRows(written, [HELM, ARGO], ['argo', 'helm']), written);
  assert.equal(withRows(written, [], ['argo', 'helm']), written);
});

test('clients that were not run keep their lines; those that are no longer known lose them', () => {
  const written = withRows(EMPTY, [ARGO, HELM], ['argo', 'helm']);
  const newer = withRows(written, [{ ...HELM, version: '4.0.0' }], ['argo', 'helm']);
  assert.ok(newer.includes(lineOf(ARGO)));
  assert.match(newer, /\| helm \| 4\.0\.0 \|/);
  assert.doesNotMatch(withRows(written, [], ['helm']), /\| argo /);
});

test('a document without a place for it is refused', () => {
  assert.throws(() => withRows('text', [ARGO], ['argo']), /lacks the lines/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Report, readReport, reportingContainer, reportLine } from './report.ts';

const REPORT: Report = {
  node: 'w-1',
  outputs: { result: 'two\nlines', parameters: [{ name: 'p', value: '1' }] },
  isComplete: true,
};

test('a report is one line, whatever the outputs hold', () => {
  const line = reportLine(REPORT);
  assert.equal(line.split('\n').length, 2);
  assert.deepEqual(readReport(line.trimEnd(), 'w-1'), REPORT);
});

test('other lines, torn ones and reports of other nodes are none', () => {
  const line = reportLine(REPORT).trimEnd();
  for (const [text, node] of [
    ['uploading', 'w-1'],
    [line.slice(0, -5), 'w-1'],
    [` ${line}`, 'w-1'],
    [line, 'w-2'],
  ] as const)
    assert.equal(readReport(text, node), undefined, text);
});

test('the report stands in the log of wait, or of main where there is none', () => {
  const pod = (...names: string[]) => ({
    metadata: { name: 'p' },
    spec: { containers: names.map((name) => ({ name })) },
  });
  assert.equal(reportingContainer(pod('main', 'wait')), 'wait');
  assert.equal(reportingContainer(pod('main')), 'main');
});

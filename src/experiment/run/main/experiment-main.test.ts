import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runHelperMain } from '../../helper/main/helper-main.ts';
import { fault } from '../../injection/testing/builders.ts';
import { runExperimentMain } from './experiment-main.ts';

const registry = new Map(
  ['pod-delete', 'disk-fill'].map((name) => [name, () => Promise.resolve(fault({ name }))] as const),
);
const NOWHERE = '/does/not/exist';

const REFUSED: readonly [argv: string[], complaint: RegExp][] = [
  [[], /^experiment: no -name given; known: disk-fill, pod-delete; usage: turnsole experiment -name NAME/],
  [['-name', 'nope'], /^experiment: there is no experiment named "nope"; known: disk-fill, pod-delete$/],
  [['-name', 'pod-delete', '-bogus', 'x'], /^experiment: unknown argument "-bogus"; usage: /],
  [['-name', 'pod-delete', 'extra'], /^experiment: unknown argument "extra"; usage: /],
  [['--name=pod-delete', '-kubeconfig', NOWHERE], /^experiment: .*\/does\/not\/exist/],
];

for (const [argv, complaint] of REFUSED) {
  test(`experiment ${argv.join(' ')}: exit code 2 and one line that says why`, async () => {
    const lines: string[] = [];
    const io = { complain: (text: string, program?: string) => void lines.push(`${program}: ${text}`) };
    assert.equal(await runExperimentMain(argv, {}, registry, io), 2);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', complaint);
  });
}

test('helper without an assignment: exit code 2', async () => {
  const lines: string[] = [];
  const io = { complain: (text: string, program?: string) => void lines.push(`${program}: ${text}`) };
  assert.equal(await runHelperMain(['-name', 'pod-delete'], {}, registry, io), 2);
  assert.match(lines.join(), /^helper: TURNSOLE_ASSIGNMENT is not set/);
});

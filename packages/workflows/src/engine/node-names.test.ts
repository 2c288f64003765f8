import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fnv32a, nodeId, podName } from '../kinds/pod-names.ts';
import { displayName, ownerName } from './node-names.ts';

describe('ids of nodes, as Argo makes them', () => {
  const rows: readonly [name: string, hash: number][] = [
    ['', 2_166_136_261],
    ['a', 3_826_002_220],
    ['demo[0]', 3_919_527_336],
    ['demo[0].install-definitions', 4_085_711_354],
    ['demo.B(0:foo)', 3_942_230_431],
    ['demo.onExit', 1_599_854_481],
    ['demo(0)', 97_474_741],
  ];
  for (const [name, hash] of rows) test(JSON.stringify(name), () => assert.equal(fnv32a(name), hash));
  test('the root has the name of the workflow', () => assert.equal(nodeId('demo', 'demo'), 'demo'));
});

describe('names of pods', () => {
  const node = { name: 'demo[0].s' };
  const id = nodeId('demo', node.name);
  test('v1 is the id', () => assert.equal(podName('v1', 'demo', node, 't'), id));
  test('v2 has the template', () =>
    assert.equal(podName('v2', 'demo', node, 't'), id.replace('demo-', 'demo-t-')));
  test('v2 of the root', () => assert.equal(podName('v2', 'demo', { name: 'demo' }, 't'), 'demo'));
  test('v2 of an inline template', () => assert.equal(podName('v2', 'demo', node, undefined), id));
  test('a long prefix is cut', () =>
    assert.equal(podName('v2', 'w'.repeat(300), node, 't').length, 242 + 1 + 10));
});

describe('display names', () => {
  const rows: readonly [name: string, boundary: string | undefined, shown: string][] = [
    ['w', undefined, 'w'],
    ['w[0]', 'w', '[0]'],
    ['w[0].a', 'w', 'a'],
    ['w[0].a(1:x.y)', 'w', 'a(1:x.y)'],
    ['w.a.onExit', 'w', 'a.onExit'],
    ['w.onExit', undefined, 'w.onExit'],
  ];
  for (const [name, boundary, shown] of rows)
    test(name, () => assert.equal(displayName(name, boundary), shown));
});

describe('what a node is a member of', () => {
  const node = (name: string, rest: object = {}) =>
    ({ id: name, name, displayName: name, type: 'Pod', phase: 'Running', ...rest }) as const;
  const rows: readonly [
    node: Parameters<typeof ownerName>[0],
    boundary: string | undefined,
    owner: string | undefined,
  ][] = [
    [node('w'), undefined, undefined],
    [node('w[0]', { type: 'StepGroup' }), 'w', 'w'],
    [node('w[0].a'), 'w', 'w[0]'],
    [node('w[0].a(0:x)'), 'w', 'w[0]'],
    [node('w.a'), 'w', 'w'],
    [node('w.a(0:x)'), 'w', 'w.a'],
    [node('w.a(0:x)(1)', { nodeFlag: { retried: true } }), 'w', 'w.a(0:x)'],
    [node('w.a.hooks.h', { nodeFlag: { hooked: true } }), 'w', 'w.a'],
    [node('w.onExit', { nodeFlag: { hooked: true } }), undefined, 'w'],
  ];
  for (const [member, boundary, owner] of rows) {
    test(member.name, () => assert.equal(ownerName(member, boundary), owner));
  }
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Node, Pod } from '@turnsole/kube/kinds/core';
import fc from 'fast-check';
import {
  CLAIMS_ANNOTATION,
  claim,
  conflictingTaints,
  type NodePatch,
  release,
  type Taint,
} from './claims.ts';
import { decideDrain } from './decide-drain.ts';
import { leavingEffect } from './node-taint.ts';
import { parseTaints } from './parse-taints.ts';
import { withTolerations } from './stay-on-node.ts';

const RED: Taint = { key: 'color', value: 'red', effect: 'NoSchedule' };
const OUT: Taint = { key: 'out', value: '', effect: 'NoExecute' };

function node(spec: Node['spec'] = {}): Node {
  return { metadata: { name: 'n', resourceVersion: '7' }, spec };
}

/** What a server makes of a merge patch, as far as these patches go. */
function apply(one: Node, patch: NodePatch | undefined): Node {
  if (patch === undefined) return one;
  const annotations: Record<string, string> = { ...one.metadata.annotations };
  for (const [key, value] of Object.entries(patch.metadata.annotations)) {
    if (value === null) delete annotations[key];
    else annotations[key] = value;
  }
  const { unschedulable = one.spec?.unschedulable, taints = one.spec?.taints } = patch.spec ?? {};
  const spec = {
    ...(unschedulable ? { unschedulable } : {}),
    // The patches hold whole lists of taints.
    ...(taints === undefined || taints.length === 0 ? {} : { taints: taints as Taint[] }),
  };
  return { metadata: { ...one.metadata, annotations }, spec };
}

describe('claims on a node', () => {
  const wanted = { cordon: true, taints: [RED] } as const;

  test('what is set is written down in the same patch, which only fits the node as it was read', () => {
    const { patch, claim: own } = claim(node({ taints: [OUT] }), 'a', wanted);
    assert.deepEqual(own, wanted);
    assert.deepEqual(patch, {
      metadata: { resourceVersion: '7', annotations: { [CLAIMS_ANNOTATION]: JSON.stringify({ a: wanted }) } },
      spec: { unschedulable: true, taints: [OUT, RED] },
    });
  });

  const untouched = [
    { name: 'nothing was set', spec: {} },
    { name: 'another client had cordoned it', spec: { unschedulable: true } },
    { name: 'another client had set the same taint', spec: { taints: [RED] } },
    { name: 'others are there', spec: { taints: [OUT], unschedulable: true } },
  ];
  for (const { name, spec } of untouched) {
    test(`taken back, the node is as before: ${name}`, () => {
      const before = node(spec);
      const held = apply(before, claim(before, 'a', wanted).patch);
      assert.equal(held.spec?.unschedulable, true);
      assert.equal(claim(held, 'a', wanted).patch, undefined, 'a second time changes nothing');
      const after = apply(held, release(held, 'a'));
      assert.deepEqual(after.spec, before.spec);
      assert.deepEqual(after.metadata.annotations ?? {}, {});
      assert.equal(release(after, 'a'), undefined);
    });
  }

  test('a taint whose value another client has changed meanwhile is theirs, and an uncordoned node stays so', () => {
    const before = node();
    const held = apply(before, claim(before, 'a', wanted).patch);
    const blue = { ...RED, value: 'blue' };
    const after = apply(
      { ...held, spec: { taints: [blue] } },
      release({ ...held, spec: { taints: [blue] } }, 'a'),
    );
    assert.deepEqual(after.spec, { taints: [blue] });
  });

  test('a damaged annotation is no licence to guess', () => {
    for (const text of ['{', '[]', '{"a":1}', '{"a":{"taints":{}}}']) {
      const damaged = node();
      damaged.metadata.annotations = { [CLAIMS_ANNOTATION]: text };
      assert.throws(
        () => release(damaged, 'a'),
        /annotation turnsole.io\/node-claims of node n cannot be read/,
      );
      assert.throws(() => claim(damaged, 'b', wanted), /cannot be read/);
    }
  });

  test('whatever several runs do in whatever order, in the end the node is as before, and while one holds it is held', () => {
    const ids = ['a', 'b', 'c'];
    const steps = fc.array(fc.record({ id: fc.constantFrom(...ids), on: fc.boolean() }), { maxLength: 30 });
    const spec = fc.constantFrom<Node['spec']>({}, { taints: [RED] }, { unschedulable: true, taints: [OUT] });
    fc.assert(
      fc.property(spec, steps, (start, actions) => {
        const before = node(start);
        let now = before;
        const holding = new Set<string>();
        for (const { id, on } of actions) {
          now = apply(now, on ? claim(now, id, wanted).patch : release(now, id));
          if (on) holding.add(id);
          else holding.delete(id);
          if (holding.size === 0) assert.deepEqual(now.spec, before.spec);
          else assert.ok(now.spec?.unschedulable && now.spec.taints?.some(({ key }) => key === RED.key));
        }
        for (const id of ids) now = apply(now, release(now, id));
        assert.deepEqual(now.spec, before.spec);
      }),
    );
  });
});

test('a node can have one taint of a key and effect', () => {
  assert.deepEqual(conflictingTaints([{ ...RED, value: 'blue' }], [RED, OUT]), [RED]);
  assert.deepEqual(conflictingTaints([RED, { ...RED, value: 'x', effect: 'NoExecute' }], [RED]), []);
});

describe('TAINTS', () => {
  const table: readonly (readonly [string, Taint])[] = [
    ['color=red:NoSchedule', RED],
    ['out=:NoExecute', OUT],
    ['out', { key: 'out', value: 'node-taint', effect: 'NoExecute' }],
    ['out:NoSchedule', { key: 'out', value: 'node-taint', effect: 'NoSchedule' }],
    ['out=x', { key: 'out', value: 'x', effect: 'NoExecute' }],
    [
      'app.hce.io/chaos=true:PreferNoSchedule',
      { key: 'app.hce.io/chaos', value: 'true', effect: 'PreferNoSchedule' },
    ],
  ];
  for (const [text, taint] of table) {
    test(text, () => assert.deepEqual(parseTaints([text]), { taints: [taint], problems: [] }));
  }
  for (const text of [
    '=red:NoSchedule',
    'color=red:noschedule',
    'color=red:',
    'a/b/c=d',
    '-a=b',
    'a=b c',
    `${'k'.repeat(64)}=v`,
    'a=b:NoSchedule:x',
  ]) {
    test(`refused: ${text}`, () => {
      const { problems } = parseTaints([text]);
      assert.deepEqual(
        problems.map(({ variable, found }) => [variable, found]),
        [['TAINTS', text]],
      );
    });
  }
  test('one key and effect twice is refused', () => {
    assert.equal(parseTaints(['a=1:NoSchedule', 'a=2:NoSchedule', 'a=3:NoExecute']).problems.length, 1);
  });
});

describe('who leaves a drained node', () => {
  const pod = (name: string, more: Partial<Pod> = {}, metadata: Partial<Pod['metadata']> = {}): Pod => ({
    status: { phase: 'Running' },
    ...more,
    metadata: { name, namespace: 'ns', ...metadata },
  });
  const ofDaemonSet = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'u', controller: true };
  const table: readonly (readonly [string, Pod, keyof ReturnType<typeof decideDrain> | undefined])[] = [
    ['of a workload, or of none', pod('p'), 'leaving'],
    ['pending', pod('p', { status: { phase: 'Pending' } }), 'leaving'],
    ['has ended', pod('p', { status: { phase: 'Succeeded' } }), undefined],
    ['has failed', pod('p', { status: { phase: 'Failed' } }), undefined],
    ['of a daemon set', pod('p', {}, { ownerReferences: [ofDaemonSet] }), undefined],
    [
      'of a static manifest',
      pod('p', {}, { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
      undefined,
    ],
    ['on its way out', pod('p', {}, { deletionTimestamp: '2030-01-01T00:00:00Z' }), 'going'],
    ['the experiment', pod('p', {}, { labels: { chaosUID: 'u' } }), 'spared'],
    ['the runner', pod('p', {}, { labels: { 'app.kubernetes.io/component': 'chaos-runner' } }), 'spared'],
    ['the operator', pod('p', {}, { labels: { name: 'chaos-operator' } }), 'spared'],
  ];
  for (const [name, one, where] of table) {
    test(name, () => {
      const plan = decideDrain([one]);
      for (const key of ['leaving', 'going', 'spared'] as const)
        assert.equal(plan[key].length, key === where ? 1 : 0);
    });
  }
});

test('tolerations are added where none tolerates for good', () => {
  const table = [
    { name: 'none', present: [], isAdded: true },
    { name: 'all', present: [{ operator: 'Exists' }], isAdded: false },
    { name: 'its key', present: [{ key: 'out', operator: 'Exists', effect: 'NoExecute' }], isAdded: false },
    { name: 'another value', present: [{ key: 'out', value: 'x' }], isAdded: true },
    { name: 'its value', present: [{ key: 'out', value: '', operator: 'Equal' }], isAdded: false },
    {
      name: 'for a while',
      present: [{ key: 'out', operator: 'Exists', tolerationSeconds: 5 }],
      isAdded: true,
    },
    {
      name: 'another effect',
      present: [{ key: 'out', operator: 'Exists', effect: 'NoSchedule' }],
      isAdded: true,
    },
  ];
  for (const { name, present, isAdded } of table) {
    const added = [...present, { key: 'out', operator: 'Exists', effect: 'NoExecute' }];
    assert.deepEqual(withTolerations(present, [OUT]), isAdded ? added : undefined, name);
  }
});

test('taints that drive pods away had an effect where one has left', () => {
  assert.deepEqual(leavingEffect(['a', 'b'], ['b', 'new']), {
    seen: true,
    message: '1 of 2 pods have left the node',
  });
  assert.match(leavingEffect(['a'], ['a']).message, /^none of the 1 pods on the node has left/);
  assert.match(leavingEffect([], ['new']).message, /^there was no pod/);
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { patchOf } from './mutations.ts';
import { withPatchTypes } from './patch-literals.ts';

describe('literals of the types of patches', () => {
  for (const [text, written] of [
    ['Object{}', 'makeTyped("Object", [])'],
    [
      'Object{spec: Object.spec{replicas: 1 + 2}}',
      'makeTyped("Object", ["spec",  makeTyped("Object.spec", ["replicas",  1 + 2])])',
    ],
    [
      'Object . spec {a: [{"k": f(x, y)}], ?b: c}',
      'makeTyped("Object.spec", ["a",  [{"k": f(x, y)}], "?b",  c])',
    ],
    ['Object{`a-b`: {"x": 1}}', 'makeTyped("Object", ["a-b",  {"x": 1}])'],
    [
      `JSONPatch{op: "Object{a: 1}", value: r'JSONPatch{'}`,
      `makeTyped("JSONPatch", ["op",  "Object{a: 1}", "value",  r'JSONPatch{'])`,
    ],
    ['object.Object', 'object.Object'],
    ['Objects{a: 1}', 'Objects{a: 1}'],
    ['{"Object": 1}', '{"Object": 1}'],
    ['[1] // Object{a: 1}', '[1] // Object{a: 1}'],
    ['"""Object{"""', '"""Object{"""'],
  ] as const) {
    it(text, () => assert.equal(withPatchTypes(text), written));
  }

  it('have the fields of a JSON patch only', () => {
    assert.throws(() => withPatchTypes('JSONPatch{opp: "add"}'), /undefined field 'opp'/);
  });
});

describe('what a mutation gives', () => {
  const patch = (type: 'ApplyConfiguration' | 'JSONPatch', expression: string): unknown => {
    const object = { spec: { replicas: 2, name: 'a/b~c' }, list: [1, 2] };
    const variables = [{ name: 'more', expression: 'object.spec.replicas + 1' }];
    return patchOf({ conditions: [], variables, mutations: [] }, { type, expression }, { object });
  };

  it('is a configuration, as JSON', () => {
    const text = `Object{
      spec: Object.spec{replicas: variables.more, ratio: 0.5, on: true, tags: ["a"], ?none: optional.none(), ?some: optional.of("b")},
      items: object.list.map(n, Object.items{n: n}),
    }`;
    assert.deepEqual(patch('ApplyConfiguration', text), {
      type: 'ApplyConfiguration',
      configuration: {
        spec: { replicas: 3, ratio: 0.5, on: true, tags: ['a'], some: 'b' },
        items: [{ n: 1 }, { n: 2 }],
      },
    });
  });

  it('is a list of operations', () => {
    const text = `[JSONPatch{op: "add", path: "/x/" + jsonpatch.escapeKey(object.spec.name), value: Object.x{a: 1}},
      JSONPatch{op: "move", from: "/a", path: "/b"}]`;
    assert.deepEqual(patch('JSONPatch', text), {
      type: 'JSONPatch',
      operations: [
        { op: 'add', path: '/x/a~1b~0c', value: { a: 1 } },
        { op: 'move', from: '/a', path: '/b' },
      ],
    });
  });

  for (const [type, text, why] of [
    [
      'ApplyConfiguration',
      'Object{spec: Object.wrong{a: 1}}',
      /type mismatch: unexpected type name "Object.wrong", expected "Object.spec"/,
    ],
    ['ApplyConfiguration', 'Object.spec{a: 1}', /must evaluate to Object/],
    ['ApplyConfiguration', '{"spec": 1}', /must evaluate to Object/],
    ['JSONPatch', 'JSONPatch{op: "remove", path: "/a"}', /must evaluate to list\(JSONPatch\)/],
    ['JSONPatch', '[{"op": "remove"}]', /must evaluate to list\(JSONPatch\)/],
    ['ApplyConfiguration', 'Object{a: object.absent}', /absent/],
  ] as const) {
    it(`is no patch: ${text}`, () => assert.throws(() => patch(type, text), why));
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { editedText } from './edited-text.ts';

const FILE = `# why this is run: ask the team of the shop
apiVersion: argoproj.io/v1alpha1
kind: Workflow   # not a CronWorkflow

metadata:
  labels: {infra_id: 'i', team: "shop"}   # who is called
  name: shop
spec:
  entrypoint: main
  # the steps, in order
  templates:
  - name: main
    steps: [[{name: a, template: a}], [{name: b, template: b}]]

  - name: a   # deletes pods
    container:
      image: "k8s:1.0"
      args: ["-c", 'sleep 1']
  - name: b
    container:
      image: k8s:2.0
      args:
      - |
        echo one   # a line of the script
        echo two
`;

interface Manifest {
  metadata: { labels: Record<string, string>; name: string };
  spec: { entrypoint: string; templates: Record<string, unknown>[]; [more: string]: unknown };
  [more: string]: unknown;
}

/** An edit of the value, and the lines that it may change: those of before, and those after. */
const EDITS: readonly (readonly [
  name: string,
  edit: (manifest: Manifest) => void,
  gone: readonly string[],
  added: readonly string[],
])[] = [
  ['nothing', () => {}, [], []],
  [
    'a plain value',
    ({ spec }) => {
      spec.entrypoint = 'b';
    },
    ['  entrypoint: main'],
    ['  entrypoint: b'],
  ],
  [
    'a value in quotes keeps them, and its comment is where it was',
    ({ spec }) => {
      Object.assign(spec.templates[1] as object, {
        container: { image: 'k8s:1.1', args: ['-c', 'sleep 1'] },
      });
    },
    ['      image: "k8s:1.0"'],
    ['      image: "k8s:1.1"'],
  ],
  [
    'a new key comes last',
    ({ spec }) => {
      spec.serviceAccountName = 'argo';
    },
    [],
    ['  serviceAccountName: argo'],
  ],
  [
    'a key that is gone takes its line along',
    (manifest) => {
      delete manifest.kind;
    },
    ['kind: Workflow   # not a CronWorkflow'],
    [],
  ],
  [
    'a line of a block of text',
    ({ spec }) => {
      const text = 'echo one   # a line of the script\necho 2\n';
      Object.assign(spec.templates[2] as object, { container: { image: 'k8s:2.0', args: [text] } });
    },
    ['        echo two'],
    ['        echo 2'],
  ],
  [
    'an item of a list is gone, and those after it stay as they are',
    ({ spec }) => {
      spec.templates.splice(1, 1);
    },
    [
      '  - name: a   # deletes pods',
      '    container:',
      '      image: "k8s:1.0"',
      `      args: ["-c", 'sleep 1']`,
    ],
    [],
  ],
  [
    'an item of a list is new',
    ({ spec }) => {
      spec.templates.push({ name: 'c', suspend: {} });
    },
    [],
    ['  - name: c', '    suspend: {}'],
  ],
  [
    'a list in brackets stays in brackets',
    ({ spec }) => {
      (spec.templates[0] as { steps: unknown[] }).steps.pop();
    },
    ['    steps: [[{name: a, template: a}], [{name: b, template: b}]]'],
    ['    steps: [ [ { name: a, template: a } ] ]'],
  ],
];

for (const [name, edit, gone, added] of EDITS) {
  test(`an edit of a document: ${name}`, () => {
    const value = parse(FILE) as Manifest;
    edit(value);
    const text = editedText(FILE, value);
    assert.deepEqual(parse(text), value);
    const lines = (of: string): string[] => of.trimEnd().split('\n');
    const left = [...added];
    const rest = lines(text).filter(
      (line) => !left.includes(line) || left.splice(left.indexOf(line), 1) === undefined,
    );
    const missing = [...gone];
    const kept = lines(FILE).filter(
      (line) => !missing.includes(line) || missing.splice(missing.indexOf(line), 1) === undefined,
    );
    assert.deepEqual([missing, left], [[], []], text);
    assert.deepEqual(rest.filter(Boolean), kept.filter(Boolean), text);
  });
}

test('what cannot be edited in place is written anew, and says the same', () => {
  const cases: readonly (readonly [name: string, text: string, value: unknown])[] = [
    ['an anchor whose aliases stay', 'a: &x { n: 1 }\nb: *x\n', { a: { n: 2 }, b: { n: 1 } }],
    ['an anchor that is gone', 'a: &x { n: 1 }\nb: *x\n', { b: { n: 1 } }],
    ['no YAML', 'a: [', { a: 1 }],
    ['two documents', 'a: 1\n---\nb: 1\n', { a: 1 }],
    ['nothing', '', { a: 1 }],
    ['another kind of value', '- 1\n- 2\n', { a: 1 }],
    ['a key twice', 'a: 1\na: 2\n', { a: 3 }],
    ['a key that is no text', '1: a\ntrue: b\n', { 1: 'c', true: 'b' }],
    ['keys of a prototype', 'a: 1\n', JSON.parse('{"a": 1, "__proto__": {"b": 1}, "constructor": 2}')],
  ];
  for (const [name, text, value] of cases)
    assert.equal(JSON.stringify(parse(editedText(text, value))), JSON.stringify(value), name);
});

test('whatever the value was and is, the edited text says what it is', () => {
  const key = fc.constantFrom('name', 'a', 'b', 'x y', '- z', '#');
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<unknown>('', 'a', '1', 'true', 'two\nlines\n', ' # ', '"', null, true, 1, 1.5, -0.1),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(key, tie('value'), { maxKeys: 4 }).map((of) => ({ ...of })),
    ),
  }));
  const document = fc.dictionary(key, value, { maxKeys: 4 }).map((of) => ({ ...of }));
  fc.assert(
    fc.property(document, document, fc.boolean(), (before, after, inBrackets) => {
      const text = inBrackets ? JSON.stringify(before, undefined, 2) : editedText('', before);
      assert.deepEqual(parse(editedText(text, after)), after);
      assert.equal(editedText(text, before).trimEnd(), text.trimEnd());
    }),
    { numRuns: 300 },
  );
});

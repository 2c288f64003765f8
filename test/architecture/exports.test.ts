import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ExportedName, exportsOf, needlessExports, readSources } from './exports.ts';

/** Rooms that are being built: what their faces offer has no user yet. */
const NOT_USED_YET: readonly string[] = [];

/** Written from a schema: types of all of it, of which programs use what they need. */
const GENERATED: readonly string[] = [
  'src/controlplane/schema/generated/types.ts',
  'src/runs/as-code/generated/',
];

/** What others import from this package (`exports` of package.json). */
const FACES: readonly string[] = ['src/runs/as-code/index.ts', 'src/runs/as-code/own-fault.ts'];

/** Types of the operations that the page sends: views import those that they name. The operation itself, in capitals, must be sent by a view. */
const isTypeOfQuestion = ({ file, name }: ExportedName): boolean =>
  /^web\/views\/(?:.*\/)?generated\//.test(file) && name !== name.toUpperCase();

/** Tools of tests that stand beside what they replace. */
const TOOLS_OF_TESTS = ['packages/kube/src/runtime/fake-clock.ts'];

const { unused, forTestsOnly } = needlessExports(readSources());

test('what only its own file uses is not exported, and what nothing uses is not there', () => {
  const names = unused.filter((one) => !isTypeOfQuestion(one));
  assert.deepEqual(shown(names, [...NOT_USED_YET, ...GENERATED, ...FACES]), []);
});

test('production code that only tests use is not there', () => {
  assert.deepEqual(shown(forTestsOnly, [...NOT_USED_YET, ...GENERATED, ...FACES, ...TOOLS_OF_TESTS]), []);
});

function shown(names: readonly ExportedName[], except: readonly string[]): string[] {
  return names
    .filter(({ file }) => !except.some((path) => file.startsWith(path)))
    .map(({ file, name }) => `${file}: ${name}`);
}

/** Needless exports of one file `src/a.ts` beside another, as `unused` and `forTestsOnly`. */
const CASES: readonly [name: string, sources: Record<string, string>, expected: [string[], string[]]][] = [
  ['a name that another file imports', { 'src/b.ts': "import { a } from './a.ts';" }, [[], []]],
  ['of a type', { 'src/b.ts': "import { type a } from './a.ts';" }, [[], []]],
  ['under another name', { 'src/b.ts': "import { a as b } from './a.ts';" }, [[], []]],
  ['in many lines', { 'src/b.ts': "import {\n  a,\n} from './a.ts';" }, [[], []]],
  ['as a whole', { 'src/b.ts': "import * as all from './a.ts';" }, [[], []]],
  ['late', { 'src/b.ts': "const { a } = await import('./a.ts');" }, [[], []]],
  [
    'late, by its URL',
    { 'bin/b.js': "const b = new URL('../src/a.ts', import.meta.url);\nconst { a } = await import(b.href);" },
    [[], []],
  ],
  ['late, of which it takes nothing', { 'src/b.ts': "await import('./a.ts');" }, [['a'], []]],
  ['from another file of that name', { 'src/b/c.ts': "import { a } from './a.ts';" }, [['a'], []]],
  ['a name that stands elsewhere only', { 'src/b.ts': 'const a = 1;' }, [['a'], []]],
  ['a name that only a test imports', { 'src/a.test.ts': "import { a } from './a.ts';" }, [[], ['a']]],
  [
    'a name that only a test imports, and its file uses',
    {
      'src/a.ts': 'export const a = 1;\nexport const b = a;',
      'src/a.test.ts': "import { a, b } from './a.ts';",
    },
    [[], ['b']],
  ],
  [
    'a name that only a comment uses besides',
    {
      'src/a.ts': '/** See a. */\nexport const a = 1;',
      'test/a.test.ts': "import { a } from '../src/a.ts';",
    },
    [[], ['a']],
  ],
  ['what a face hands on to nobody', { 'src/index.ts': "export { a } from './a.ts';" }, [['a'], []]],
  [
    'what serves tests',
    { 'src/testing/x.ts': "import { a } from '../a.ts';\nexport const x = a;" },
    [[], ['a']],
  ],
];

for (const [name, sources, [isUnused, isForTests]] of CASES) {
  test(`exports: ${name}`, () => {
    const all = new Map(Object.entries({ 'src/a.ts': 'export const a = 1;', ...sources }));
    const found = needlessExports(all);
    assert.deepEqual(
      [found.unused.map((one) => one.name), found.forTestsOnly.map((one) => one.name)],
      [isUnused, isForTests],
    );
  });
}

test('every form of an export is seen', () => {
  const text = `
export async function one() {}
export abstract class Two {}
export type { Three, Four as Five } from './x.ts';
export {
  type Six,
};
export default one;
const seven = 7;
`;
  assert.deepEqual(exportsOf(text), ['one', 'Two', 'Three', 'Five', 'Six', 'default']);
});

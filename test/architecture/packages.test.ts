/** The project's own packages: their rooms, and that they stand by themselves. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { importedFile } from '../support/imported-file.ts';
import { circlesOf, readImports } from './imports.ts';
import { PACKAGES } from './rooms.ts';

/** More rooms than these no reader takes in at a glance. */
const MOST_ROOMS = 15;
/** What tests of packages use beside the dependencies: tools of the whole project. */
const TOOLS_OF_TESTS = ['fast-check', 'ajv', 'jose'];

const SPECIFIER = /(?:^|\n)\s*(?:import|export)\b[^'";]*?from\s+'([^']+)'|\bimport\(\s*'([^']+)'/g;
const REQUIRED = /\bcreateRequire\(import\.meta\.url\)\('([^']+)'\)/g;

interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const names = readdirSync('packages');

function manifestOf(name: string): PackageManifest {
  return JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8')) as PackageManifest;
}

/** All that a text imports, as it is written. */
function specifiersOf(text: string): string[] {
  const imported = [...text.matchAll(SPECIFIER)].map(([, given = '', late]) => late ?? given);
  return [...imported, ...[...text.matchAll(REQUIRED)].map(([, name = '']) => name)];
}

test('every package has a table of rooms', () => {
  assert.deepEqual(names.toSorted(), Object.keys(PACKAGES).toSorted());
});

for (const [name, rooms] of Object.entries(PACKAGES)) {
  const home = `packages/${name}`;
  const sources = globSync(`${home}/{src,examples}/**/*.ts`).toSorted();
  const roomOf = (file: string): string => file.slice(`${home}/src/`.length).split('/')[0] ?? '';

  test(`${name}: the folders of src are its rooms, of which there are few`, () => {
    const folders = readdirSync(`${home}/src`, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'testing')
      .map((entry) => entry.name);
    assert.deepEqual(folders.toSorted(), Object.keys(rooms).toSorted());
    assert.ok(folders.length <= MOST_ROOMS, `${folders.length} rooms, at most ${MOST_ROOMS} may be`);
    assert.deepEqual(circlesOf(new Map(Object.entries(rooms))), []);
  });

  test(`${name}: a room imports only what its row allows, and no files import one another in a circle`, () => {
    const graph = readImports(`${home}/src`);
    const wrong = [...graph].flatMap(([file, imports]) =>
      imports
        .filter((target) => target.startsWith(`${home}/`) && dirname(file) !== `${home}/src`)
        .filter(
          (target) =>
            roomOf(target) !== roomOf(file) && rooms[roomOf(file)]?.includes(roomOf(target)) !== true,
        )
        .map((target) => `${file} imports ${target}`),
    );
    assert.ok(graph.size > 0, 'files are found');
    assert.deepEqual(wrong, []);
    assert.deepEqual(circlesOf(graph), []);
  });

  test(`${name}: its files and tests import nothing of the project beside it, and of packages its dependencies`, () => {
    const dependencies = Object.keys(manifestOf(name).dependencies ?? {});
    const wrong = sources.flatMap((file) => {
      const isTest = file.endsWith('.test.ts') || file.includes('/testing/');
      const allowed = [...dependencies, ...(isTest ? TOOLS_OF_TESTS : [])];
      return specifiersOf(readFileSync(file, 'utf8'))
        .filter((specifier) => !specifier.startsWith('node:'))
        .filter((specifier) => {
          const target = importedFile(file, specifier);
          if (target !== undefined && target.startsWith(`${home}/`)) return !existsSync(target);
          return !allowed.some((one) => specifier === one || specifier.startsWith(`${one}/`));
        })
        .map((specifier) => `${file}: ${specifier}`);
    });
    assert.deepEqual(wrong, []);
  });

  test(`${name}: it knows no chaos`, () => {
    const files = globSync(`${home}/**/*.{ts,md,json}`, {
      exclude: ['**/node_modules/**', `${home}/dist/**`],
    });
    assert.deepEqual(
      files.filter((file) => /chaos|litmus/i.test(readFileSync(file, 'utf8'))),
      [],
    );
  });

  test(`${name}: its README has the same table`, () => {
    const rows = readFileSync(`${home}/README.md`, 'utf8').matchAll(/^\| `([a-z-]+)` \|[^|]*\|([^|]*)\|$/gm);
    const shown = [...rows].map(([, room = '', cell = '']) => {
      const words = cell.trim();
      return [room, words === 'nothing' ? [] : words.split(', ')];
    });
    assert.deepEqual(Object.fromEntries(shown), rooms);
  });

  test(`${name}: it has the version of the project, which depends on that one`, () => {
    const { name: scoped, version } = manifestOf(name);
    const project = JSON.parse(readFileSync('package.json', 'utf8')) as PackageManifest & {
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    assert.deepEqual([scoped, version], [`@turnsole/${name}`, project.version]);
    // Bundled into what is published: not looked for when that is installed.
    assert.equal(project.devDependencies[scoped], version);
    assert.ok(readFileSync(join('deploy', 'Dockerfile'), 'utf8').includes(`packages/${name}/package.json`));
    const context = readFileSync(join('deploy', 'Dockerfile.dockerignore'), 'utf8').split('\n');
    assert.ok(['!packages', '!tsconfig.json'].every((line) => context.includes(line)));
  });
}

test('what packages import is found in every form', () => {
  const text = `import { a } from 'a';\nimport type {\n  b,\n} from "x";\nexport * from './c.ts';\nconst d = await import('d');`;
  assert.deepEqual(specifiersOf(text), ['a', './c.ts', 'd']);
});

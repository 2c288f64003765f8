/** Which part of the page may import which, and that of the command it takes types only. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { circlesOf } from '../architecture/imports.ts';
import { importedFile } from '../support/imported-file.ts';

/** Folders of `web/`, from top to bottom, and what each may import beside itself. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  models: [],
  address: ['models'],
  api: ['models'],
  paint: ['models'],
  parts: ['paint', 'models'],
  standalone: ['parts', 'models', 'styles', 'address'],
  views: ['parts', 'paint', 'models', 'address', 'api'],
  styles: [],
};

/**
 * Rules of the command that the page goes by as well, so that a value which it takes is one that a run takes: what settings may be, when a
 * schedule comes, how many pods a share is, what a tag is, which role may do what, which state a run is in, the sentences
 * about it, reasons in plain words, the order of steps, how the lines of a log are read, and what JSON is. Pure, and so are what they import.
 */
const SHARED: ReadonlySet<string> = new Set([
  'src/api/probe-types/index.ts',
  'src/chaos/schedule/schedule-pattern.ts',
  'src/controlplane/access/operations.ts',
  'src/controlplane/experiment/manifest/tags.ts',
  'src/services/report/log-line.ts',
  'src/services/report/error-words.ts',
  'src/services/workflows/never-begun.ts',
  'src/services/workflows/node-order.ts',
  'src/services/report/course/run-state.ts',
  'src/services/report/course/sentences.ts',
  'src/services/report/course/strip.ts',
  'src/services/report/outcome/run-states.ts',
  'src/experiment/injection/settings/describe-tunable.ts',
  'src/experiment/injection/settings/interval.ts',
  'src/experiment/injection/settings/parse-tunables.ts',
  'src/experiment/targets/sample.ts',
  'packages/kube/src/text/json.ts',
  'packages/kube/src/text/cron/schedule.ts',
  'packages/kube/src/text/cron/time-zone.ts',
  'packages/workflows/src/cron/cron-schedule.ts',
]);

interface Import {
  readonly file: string;
  readonly target: string;
  readonly isOfTypes: boolean;
  /** Whether the code is loaded when it is first needed. */
  readonly isLate: boolean;
}

const FROM =
  /\b(?:import|export)\s+(type\s+)?(?:[\w*{][^;'"]*?\s*\bfrom\s*)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g;
const files = globSync('web/**/*.{ts,tsx}').filter((file) => !file.endsWith('.test.ts'));
/** Files of which the page has the text: the manifests of the sample. */
const AS_TEXT = '.yaml?raw';
const imports = files.flatMap(importsOf);

function importsOf(file: string): Import[] {
  return [...readFileSync(file, 'utf8').matchAll(FROM)].flatMap(([, type, written, late]) => {
    const target = importedFile(file, written ?? late ?? '');
    if (target === undefined) return [];
    return [{ file, target, isOfTypes: type !== undefined, isLate: late !== undefined }];
  });
}

test('imports of the page point down', () => {
  const layerOf = (file: string): string => file.split('/')[1] ?? '';
  const wrong = imports.filter(({ file, target }) => {
    const [from, to] = [layerOf(file), layerOf(target)];
    // What stands beside index.html puts the views together.
    if (!target.startsWith('web/') || file.split('/').length === 2 || from === to) return false;
    return LAYERS[from]?.includes(to) !== true;
  });
  assert.ok(imports.length > 30, 'imports are found');
  assert.deepEqual(wrong, []);
});

test('the page imports only types of the command, which runs elsewhere, but for what has to have one address', () => {
  const wrong = imports.filter(
    ({ target, isOfTypes }) =>
      !target.startsWith('web/') && !isOfTypes && !SHARED.has(target) && !target.endsWith(AS_TEXT),
  );
  assert.deepEqual(wrong, []);
});

test('what the page shares with the command needs nothing of where it runs', () => {
  const open = [...SHARED];
  const seen = new Set<string>();
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    assert.doesNotMatch(text, /\bfrom '(?!\.|@turnsole\/)|\bprocess\.|\bBuffer\b|\bglobalThis\b/, file);
    open.push(
      ...importsOf(file)
        .filter(({ isOfTypes }) => !isOfTypes)
        .map(({ target }) => target),
    );
  }
  assert.ok(seen.size <= 36, [...seen].join());
});

test('models need no browser: they import neither packages nor anything of the page', () => {
  const packages = files
    .filter((file) => file.startsWith('web/models/'))
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\bfrom '((?!@turnsole\/)[^.][^']*)'/g)].map(
        ([, name]) => `${file}: ${name}`,
      ),
    );
  assert.deepEqual(packages, []);
});

test('no files of the page import one another in a circle', () => {
  const graph = new Map(
    files.map((file) => [file, imports.filter((one) => one.file === file).map(({ target }) => target)]),
  );
  assert.deepEqual(circlesOf(graph), []);
});

/** What some files import, directly or by others, and they themselves. */
function closureOf(roots: readonly string[], withLate: boolean): readonly string[] {
  const seen = new Set<string>();
  const open = [...roots];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    open.push(
      ...imports
        .filter((one) => one.file === file && !one.isOfTypes && (withLate || !one.isLate))
        .map(({ target }) => target),
    );
  }
  return [...seen];
}

/** Names of classes for which a style sheet has rules. */
function classesOf(sheet: string): string[] {
  const selectors = readFileSync(sheet, 'utf8').replace(/\{[^}]*\}/g, ' ');
  return [...selectors.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name ?? '');
}

test('a view loads the rules of every class that it uses, so that its looks do not depend on the views before it', () => {
  const styled = new Set(globSync('web/**/*.css').flatMap(classesOf));
  const always = closureOf(['web/main.tsx'], false);
  const views = imports.filter(({ file, isLate }) => file === 'web/views/page.tsx' && isLate);
  assert.ok(views.length > 10, 'views are found');
  const bare = views.flatMap(({ target: view }) => {
    const own = closureOf([view], true);
    const loaded = new Set([...always, ...own].filter((file) => file.endsWith('.css')).flatMap(classesOf));
    return own
      .filter((file) => file.endsWith('.tsx'))
      .flatMap((file) =>
        [...readFileSync(file, 'utf8').matchAll(/className="([^"]+)"/g)]
          .flatMap(([, names = '']) => names.split(' '))
          .filter((name) => styled.has(name) && !loaded.has(name))
          .map((name) => `${view}: .${name} of ${file}`),
      );
  });
  assert.deepEqual(bare, []);
});

/** What the forge reads of the repository fits what is in it: attributes of files, templates, the hosted run, the sections of the changelog. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';

const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8', maxBuffer: 1 << 26 })
  .split('\n')
  .filter((file) => file !== '');

/** Patterns of `.gitattributes` with an attribute. */
function patternsWith(attribute: string): string[] {
  return readFileSync('.gitattributes', 'utf8')
    .split('\n')
    .filter((line) => line.endsWith(` ${attribute}`))
    .map((line) => line.split(' ')[0] ?? '');
}

test('what npm run generate writes is marked, and every mark fits a file', () => {
  const patterns = patternsWith('linguist-generated');
  const fits = (file: string): boolean => patterns.some((pattern) => matchesGlob(file, pattern));
  assert.ok(patterns.length > 5);
  assert.deepEqual(
    patterns.filter((pattern) => !tracked.some((file) => matchesGlob(file, pattern))),
    [],
  );
  // What .ci/run holds to be generated.
  const [, paths = ''] = /^git diff --exit-code -- (.*)$/m.exec(readFileSync('.ci/run', 'utf8')) ?? [];
  const checked = paths.split(' ').filter((path) => /generated$|^docs\//.test(path));
  assert.ok(checked.length > 5);
  const files = checked.flatMap((path) =>
    tracked.filter((file) => file === path || file.startsWith(`${path}/`)),
  );
  assert.deepEqual(
    files.filter((file) => !fits(file)),
    [],
  );
});

test('the hosted run is .ci/run, and the templates are forms that the forge reads', () => {
  const { jobs, permissions } = parse(readFileSync('.github/workflows/ci.yml', 'utf8'));
  assert.ok(jobs.ci.steps.some(({ run = '' }) => run.endsWith('bash .ci/run')));
  assert.deepEqual(permissions, { contents: 'read' });
  for (const file of globSync('.github/ISSUE_TEMPLATE/*.yml').filter((one) => !one.endsWith('config.yml'))) {
    const { name, description, body } = parse(readFileSync(file, 'utf8'));
    assert.ok(typeof name === 'string' && typeof description === 'string', file);
    const ids = body.flatMap(({ id }: { readonly id?: string }) => id ?? []);
    assert.deepEqual([...new Set(ids)], ids, file);
    assert.ok(
      body.some(({ validations }: { readonly validations?: object }) => validations !== undefined),
      file,
    );
  }
});

test('links of CONTRIBUTING and SECURITY lead to files, and their commands are scripts', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  for (const page of ['CONTRIBUTING.md', 'SECURITY.md']) {
    const text = readFileSync(page, 'utf8');
    const links = [...text.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path = '']) => path);
    assert.ok(links.length > 0, page);
    assert.deepEqual(
      links.filter((path) => !existsSync(join(dirname(page), path))),
      [],
      page,
    );
    const named = [...text.matchAll(/npm run ([a-z:-]+)/g)].map(([, name = '']) => name);
    assert.deepEqual(
      named.filter((name) => scripts[name] === undefined),
      [],
      page,
    );
  }
});

import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../../test/support/turnsole.ts';
import { BadInputError, type InputProblem } from '../errors.ts';
import { sortForApply } from './apply.ts';
import { foldersLeftOut, loadManifests, parseManifests, selectManifests } from './load.ts';

function parse(text: string): { kinds: string[]; problems: InputProblem[] } {
  const problems: InputProblem[] = [];
  const kinds = parseManifests('x.yaml', text, problems).map(
    ({ object }) => `${object.kind}/${object.metadata.name}`,
  );
  return { kinds, problems };
}

describe('folders', () => {
  it('are read without what is below them, which is told, or with it', async () => {
    await using folder = await temporaryFolder();
    const write = async (path: string): Promise<void> => {
      await mkdir(dirname(join(folder.path, path)), { recursive: true });
      await writeFile(
        join(folder.path, path),
        `{apiVersion: v1, kind: A, metadata: {name: ${basename(path, '.yaml')}}}`,
      );
    };
    for (const path of [
      'a.yaml',
      'below/b.yaml',
      'below/deeper/c.yaml',
      'node_modules/d.yaml',
      '.git/e.yaml',
    ])
      await write(path);
    await mkdir(join(folder.path, 'empty'));
    const names = async (isRecursive: boolean): Promise<string[]> =>
      (await loadManifests([folder.path], isRecursive)).map(({ object }) => object.metadata.name);
    assert.deepEqual(await names(false), ['a']);
    assert.deepEqual(await names(true), ['a', 'b', 'c']);
    assert.deepEqual(await foldersLeftOut([folder.path]), [join(folder.path, 'below')]);
    assert.deepEqual(await foldersLeftOut([join(folder.path, 'a.yaml'), join(folder.path, 'absent')]), []);
  });
});

describe('parseManifests', () => {
  it('reads several documents and skips empty ones', () => {
    const text =
      '---\nkind: A\napiVersion: v1\nmetadata: {name: a}\n---\n---\n# nothing\n---\nkind: B\napiVersion: v1\nmetadata: {name: b}\n';
    assert.deepEqual(parse(text), { kinds: ['A/a', 'B/b'], problems: [] });
  });

  it('flattens a List', () => {
    const text = JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: [{ apiVersion: 'v1', kind: 'A', metadata: { name: 'a' } }],
    });
    assert.deepEqual(parse(text), { kinds: ['A/a'], problems: [] });
  });

  const BAD: readonly { name: string; text: string; problem: Partial<InputProblem> }[] = [
    { name: 'a document without kind', text: 'apiVersion: v1\n', problem: { line: 1, field: 'kind' } },
    {
      name: 'a document without name',
      text: '\n\napiVersion: v1\nkind: A\n',
      problem: { line: 3, field: 'metadata' },
    },
    { name: 'a document that is a list', text: '- a\n', problem: { line: 1 } },
    { name: 'a tab as indentation', text: 'a:\n\tb: 1\n', problem: { line: 2 } },
  ];
  for (const { name, text, problem } of BAD) {
    it(`refuses ${name} and says where`, () => {
      const { kinds, problems } = parse(text);
      assert.deepEqual(kinds, []);
      assert.equal(problems.length > 0, true);
      for (const [key, value] of Object.entries(problem)) assert.equal(Object(problems[0])[key], value, key);
    });
  }

  const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
    .concat(
      Array.from({ length: 12 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(', ')}]`),
    )
    .join('\n');
  const HEAD = 'apiVersion: v1\nkind: A\nmetadata: { name: a }\n';
  const HOSTILE: readonly { name: string; text: string; message: RegExp }[] = [
    { name: 'aliases that multiply', text: `${HEAD}${bomb}\n`, message: /aliases stand for too much/ },
    {
      name: 'nesting without end',
      text: `${HEAD}a: ${'['.repeat(100_000)}`,
      message: /nested too deeply|not valid YAML/,
    },
    {
      name: 'deep but complete nesting',
      text: `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
      message: /nested too deeply/,
    },
    { name: 'an anchor that holds itself', text: `${HEAD}a: &a { b: *a }\n`, message: /alias|Alias/ },
    { name: 'a key that stands twice', text: `${HEAD}kind: B\n`, message: /unique/ },
    { name: 'a binary file', text: '\u007fELF\0\0\0', message: /not text/ },
    { name: 'an alias without anchor', text: `${HEAD}a: *nobody\n`, message: /nobody/ },
  ];
  for (const { name, text, message } of HOSTILE) {
    it(`refuses ${name} plainly`, () => {
      const { kinds, problems } = parse(text);
      assert.deepEqual(kinds, []);
      assert.match(problems[0]?.message ?? '', message);
      assert.ok(problems.length <= 10 && (problems[0]?.message.length ?? 0) < 300);
    });
  }

  it('knows the line of a field, and of its nearest parent when it is absent', () => {
    const text = 'apiVersion: v1\nkind: A\nmetadata:\n  name: a\nspec:\n  list:\n    - x: 1\n    - y: 2\n';
    const [manifest] = parseManifests('x.yaml', text, []);
    assert.equal(manifest?.lineOf(['spec', 'list', 1, 'y']), 8);
    assert.equal(manifest?.lineOf(['spec', 'list', 1, 'z']), 8);
    assert.equal(manifest?.lineOf(['status']), 1);
  });
});

describe('loadManifests', () => {
  it('gives up a file without end, and links that lead to themselves', async () => {
    await using folder = await temporaryFolder();
    const link = join(folder.path, 'loop.yaml');
    await symlink(link, link);
    await assert.rejects(loadManifests(['/dev/zero', link, folder.path]), (error: Error) => {
      assert.ok(error instanceof BadInputError);
      const found = error.problems.map(({ message }) => message);
      assert.match(found[0] ?? '', /larger than 16 MiB/);
      assert.deepEqual(found.slice(1), ['a link that leads to itself', 'a link that leads to itself']);
      return true;
    });
  });
});

describe('sortForApply', () => {
  it('puts what others need first, engines last, and keeps the order of equals', () => {
    const names = [
      'ChaosEngine',
      'Deployment',
      'Pod',
      'ServiceAccount',
      'Namespace',
      'ChaosExperiment',
      'ConfigMap',
    ];
    const text = names.map((kind) => `apiVersion: v1\nkind: ${kind}\nmetadata: {name: x}\n`).join('---\n');
    const sorted = sortForApply(parseManifests('x.yaml', text, []));
    assert.deepEqual(
      sorted.map(({ object }) => object.kind),
      ['Namespace', 'ServiceAccount', 'ConfigMap', 'ChaosExperiment', 'Deployment', 'Pod', 'ChaosEngine'],
    );
  });
});

describe('selectManifests', () => {
  it('looks below folders, leaves other documents out, and goes on after what cannot be read', async () => {
    await using folder = await temporaryFolder();
    const write = async (name: string, text: string): Promise<void> => {
      const file = join(folder.path, name);
      await mkdir(join(file, '..'), { recursive: true });
      await writeFile(file, text);
    };
    const argo = 'apiVersion: argoproj.io/v1alpha1\nkind: ';
    await write('a/b/deep.yaml', `${argo}Workflow\nmetadata: {generateName: deep-}\n`);
    await write('.argo/cron.yaml', `${argo}CronWorkflow\nmetadata: {generateName: c-}\n`);
    await write('bare.yaml', `${argo}Workflow\nspec: {}\n`);
    await write('job.yaml', 'apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: j-}\n');
    await write('values.yaml', 'image: x\n');
    await write('list.yaml', '- a\n');
    await write('.git/config.yaml', `${argo}Workflow\nmetadata: {name: no}\n`);
    await write('chart.yaml', '{{- if .Values.on }}\na: [\n');
    const { manifests, problems } = await selectManifests([folder.path], ({ kind }) =>
      String(kind).endsWith('Workflow'),
    );
    assert.deepEqual(
      manifests.map(({ object }) => `${object.kind} ${JSON.stringify(object.metadata)}`),
      ['CronWorkflow {"generateName":"c-"}', 'Workflow {"generateName":"deep-"}', 'Workflow {}'],
    );
    assert.ok(problems.length > 0);
    for (const { file, code } of problems)
      assert.deepEqual([file, code], [join(folder.path, 'chart.yaml'), 'MANIFEST_UNREADABLE']);
  });
});

describe('workflows', () => {
  it('are read as Go reads them', () => {
    const text =
      'apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {name: w}\nspec: {templates: [{name: m, container: {Image: i, args: [exit, 1]}}]}\n';
    const [manifest] = parseManifests('x.yaml', text, []);
    assert.deepEqual(Object(manifest?.object).spec.templates, [
      { name: 'm', container: { image: 'i', args: ['exit', '1'] } },
    ]);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BadInputError } from '../errors.ts';
import { projectPaths } from './project-paths.ts';
import { parseProject } from './read-project.ts';

describe('turnsole.yaml', () => {
  it('may be empty, or have all fields', () => {
    for (const text of ['', '# nothing\n', '---\n']) assert.deepEqual(parseProject('p.yaml', text), {});
    const whole = parseProject(
      'p.yaml',
      [
        'manifests: [k8s]',
        'experiments: [chaos]',
        'namespace: shop',
        'build: [npm run build]',
        'images: { my/api: node server.js, "my/worker:2": "" }',
        'nodes: 3',
        'isolation: none',
        'readyTimeout: 90s',
        'timeout: 10m',
      ].join('\n'),
    );
    assert.equal(whole.images?.['my/worker:2'], '');
    assert.equal(whole.nodes, 3);
  });

  const refused: [text: string, message: RegExp][] = [
    ['image: { a: b }', /^p\.yaml:1: image: unknown field; did you mean "images"\?$/],
    [
      'a: 1\nsomething: 2',
      /^p\.yaml:1: a: unknown field; there is manifests,.*\np\.yaml:2: something: unknown field/,
    ],
    ['nodes: 3\nimages: [a]', /^p\.yaml:2: images: /],
    ['images: { a: [b] }', /^p\.yaml:1: images\.?\[?"?a/],
    ['nodes: 0', /^p\.yaml:1: nodes: /],
    ['isolation: much', /^p\.yaml:1: isolation: Unsupported value.*"auto"/],
    ['readyTimeout: 2', /^p\.yaml:1: readyTimeout: /],
    ['readyTimeout: soon', /^p\.yaml:1: readyTimeout: found "soon"; expected a duration/],
    ['timeout: 0s', /^p\.yaml:1: timeout: found "0s"/],
    ['namespace: Shop', /^p\.yaml:1: namespace: /],
    ['images:\n  "My API": x', /^p\.yaml:2: images\.My API: not the name of an image/],
    ['- a', /^p\.yaml:1: expected fields/],
    ['a: {', /^p\.yaml:\d: not valid YAML/],
    ['a: 1\n---\nb: 2', /expected one document/],
  ];
  for (const [text, message] of refused)
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => parseProject('p.yaml', text),
        (error) => {
          assert.ok(error instanceof BadInputError);
          assert.match(error.message, message);
          return true;
        },
      );
    });
});

describe('what a command reads in a project', () => {
  const project = {
    file: 'turnsole.yaml',
    folder: '/p',
    settings: { manifests: ['k8s', 'more.yaml'], experiments: ['chaos'] },
  };
  const here = { named: [], isExisting: false, isProposed: false };
  const cases: [
    name: string,
    input: typeof here | (Omit<typeof here, 'named'> & { named: string[] }),
    paths: string[],
  ][] = [
    ['application and all experiments', here, ['k8s', 'more.yaml', 'chaos']],
    [
      'application and what is named',
      { ...here, named: ['chaos/a.yaml'] },
      ['k8s', 'more.yaml', 'chaos/a.yaml'],
    ],
    ['nothing twice', { ...here, named: ['./k8s', 'b'] }, ['k8s', 'more.yaml', 'b']],
    ['an existing cluster has the application', { ...here, isExisting: true }, ['chaos']],
    [
      'an experiment of the command line needs the application',
      { ...here, isProposed: true },
      ['k8s', 'more.yaml'],
    ],
    ['or that of the command line', { ...here, isProposed: true, named: ['app'] }, ['app']],
    ['which an existing cluster has', { ...here, isProposed: true, isExisting: true }, []],
  ];
  for (const [name, input, paths] of cases)
    it(name, () => assert.deepEqual(projectPaths(project, input, '/p').paths, paths));

  it('paths are those of the folder in which the command was started', () => {
    assert.deepEqual(projectPaths(project, here, '/p/sub').paths, ['../k8s', '../more.yaml', '../chaos']);
    assert.deepEqual(projectPaths(undefined, { ...here, named: ['x'] }, '/p').paths, ['x']);
    assert.deepEqual(projectPaths(project, { ...here, isExisting: true }, '/p').left, ['k8s', 'more.yaml']);
  });
});

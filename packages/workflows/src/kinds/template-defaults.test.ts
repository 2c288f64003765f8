import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Template } from './template.ts';
import { mergeDefaults } from './template-defaults.ts';

const CASES: readonly (readonly [
  name: string,
  defaults: Template,
  template: Template,
  expected: Template,
])[] = [
  [
    'fields of the template win',
    { timeout: '5m', daemon: true },
    { timeout: '1m' },
    { timeout: '1m', daemon: true },
  ],
  [
    'of the types, only that of the template counts',
    { container: { image: 'a' }, script: { image: 'b', source: 'x' } },
    { container: { command: ['sh'] } },
    { container: { image: 'a', command: ['sh'] } },
  ],
  [
    'variables, volumes and parameters are merged by name, those of the template first',
    {
      container: {
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
      },
      volumes: [{ name: 'work', emptyDir: {} }],
      inputs: { parameters: [{ name: 'p', default: 'd' }] },
    },
    {
      container: {
        env: [
          { name: 'C', value: '3' },
          { name: 'B', value: '4' },
        ],
      },
      volumes: [{ name: 'own', emptyDir: {} }],
      inputs: { parameters: [{ name: 'p', value: 'v' }] },
    },
    {
      container: {
        env: [
          { name: 'C', value: '3' },
          { name: 'A', value: '1' },
          { name: 'B', value: '4' },
        ],
      },
      volumes: [
        { name: 'own', emptyDir: {} },
        { name: 'work', emptyDir: {} },
      ],
      inputs: { parameters: [{ name: 'p', default: 'd', value: 'v' }] },
    },
  ],
  [
    'commands are replaced',
    { container: { command: ['a'], args: ['1', '2'] } },
    { container: { args: ['3'] } },
    { container: { command: ['a'], args: ['3'] } },
  ],
];
for (const [name, templateDefaults, template, expected] of CASES) {
  test(`templateDefaults: ${name}`, () =>
    assert.deepEqual(mergeDefaults(template, { templateDefaults }), expected));
}

test('without defaults a template is what it was', () => {
  const template: Template = { suspend: {} };
  assert.equal(mergeDefaults(template, {}), template);
  const retryStrategy = { limit: 2 };
  assert.deepEqual(mergeDefaults(template, { retryStrategy }), { suspend: {}, retryStrategy });
});

test('a list that cannot be merged is an error that names the template', () => {
  const templateDefaults = { container: { env: [{ name: 'A' }] } };
  const template = { name: 'main', container: { env: [{}] } } as unknown as Template;
  assert.throws(() => mergeDefaults(template, { templateDefaults }), {
    name: 'TemplateDefaultsError',
    message:
      'cannot merge template main with templateDefaults: container.env: an item of the patch has no name',
  });
});

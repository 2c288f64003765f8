import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readChart } from './read-chart.ts';

const CATALOGUE = `
apiVersion: litmuschaos.io/v1alpha1
kind: ChartServiceVersion
metadata: { name: another, version: 0.1.0, annotations: { categories: Kubernetes, vendor: V } }
spec:
  displayName: Kubernetes
  keywords: [a, 1, b]
  faults:
    - { name: second, displayName: Second, description: It is second, plan: [Free] }
    - { name: gone }
    - not a fault
  maintainers: [{ name: M }]
  links: [{ name: L, url: 'https://example/' }, { name: E, url: 'javascript:alert(1)' }, { name: R, url: 'docs/a.md#b' }]
  platforms: { not: a list }
`;

test('a category is what its catalogue says, with the faults that are there', () => {
  const chart = readChart({
    category: 'k',
    catalogue: CATALOGUE,
    packaged: undefined,
    faults: ['first', 'second'],
  });
  assert.equal(chart.metadata.name, 'k');
  assert.deepEqual(chart.metadata.annotations, {
    categories: 'Kubernetes',
    vendor: 'V',
    createdAt: '',
    repository: '',
    support: '',
    chartDescription: '',
  });
  const { displayName, keywords, faults, maintainers, links, platforms, experiments, chaosType } = chart.spec;
  assert.deepEqual([displayName, keywords, platforms, chaosType], ['Kubernetes', ['a', 'b'], [], null]);
  assert.deepEqual(faults, [
    { name: 'second', displayName: 'Second', description: 'It is second', plan: ['Free'] },
    { name: 'first', displayName: 'first', description: '', plan: null },
  ]);
  assert.deepEqual(experiments, ['first', 'second']);
  assert.deepEqual(maintainers, [{ name: 'M', email: '' }]);
  assert.deepEqual(
    links.map(({ url }) => url),
    ['https://example/', '', 'docs/a.md#b'],
  );
  assert.deepEqual(chart.packageInfo, {
    packageName: 'k',
    experiments: [
      { name: 'first', CSV: 'first.chartserviceversion.yaml', desc: 'first' },
      { name: 'second', CSV: 'second.chartserviceversion.yaml', desc: 'second' },
    ],
  });
});

test('a chart package is read as it is', () => {
  const packaged = 'packageName: p\nfaults: [{ name: first, CSV: f.yaml, desc: d }, { name: ../x }]';
  const { packageInfo } = readChart({ category: 'k', catalogue: undefined, packaged, faults: ['first'] });
  assert.deepEqual(packageInfo, {
    packageName: 'p',
    experiments: [{ name: 'first', CSV: 'f.yaml', desc: 'd' }],
  });
});

const BOMB = [
  'a: &a [x]',
  ...'bcdefgh'.split('').map((name, index) => `${name}: &${name} [${`*${'abcdefg'[index]},`.repeat(20)}]`),
].join('\n');

for (const [what, catalogue] of [
  ['nothing', undefined],
  ['no YAML', 'a: ['],
  ['a list', '[1]'],
  ['aliases without end', BOMB],
] as const) {
  test(`a catalogue of ${what} leaves the faults`, () => {
    const chart = readChart({ category: 'k', catalogue, packaged: catalogue, faults: ['first'] });
    assert.equal(chart.spec.displayName, 'k');
    assert.deepEqual(chart.spec.faults, [
      { name: 'first', displayName: 'first', description: '', plan: null },
    ]);
  });
}

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import type { InstallObject } from '../install-object.ts';
import { loadFaults } from '../load-faults.ts';
import { renderInstall } from '../render.ts';
import { compileSettings, type InstallOptions } from '../settings.ts';
import { CHART, currentChart } from './generate.ts';
import { renderChart } from './testing/render-chart.ts';

const VERSION = '1.2.3';
const files = await currentChart();

test('the stored chart is the one that would be generated', () => {
  for (const { path, content } of files) {
    const stored = join(CHART, path);
    assert.ok(existsSync(stored), `${path} is missing; run "npm run generate"`);
    assert.equal(readFileSync(stored, 'utf8'), content, `${path} is old; run "npm run generate"`);
  }
  const known = new Set(files.map(({ path }) => path));
  const stored = readdirSync(CHART, { recursive: true, withFileTypes: true });
  for (const entry of stored.filter((found) => found.isFile())) {
    const path = join(entry.parentPath, entry.name).slice(CHART.length + 1);
    assert.ok(known.has(path), `${path} is not generated any more; run "npm run generate"`);
  }
});

const CASES: readonly [string, InstallOptions, Record<string, unknown>][] = [
  ['as it is', {}, {}],
  [
    'for one namespace, with a fault',
    { watchNamespace: 'shop', faults: ['pod-delete'], webhook: true },
    { watchNamespace: 'shop', faults: ['pod-delete'], webhook: true },
  ],
  [
    'with several operators and faults in two namespaces',
    { replicas: 3, faults: ['all'], faultNamespace: ['shop', 'web'], priorityClass: 'high', webhook: true },
    {
      replicas: 3,
      faults: ['all'],
      faultNamespaces: ['shop', 'web'],
      priorityClassName: 'high',
      webhook: true,
    },
  ],
  [
    'with an image of its own, a pull secret, election, and faults everywhere',
    {
      image: 'example/turnsole:9',
      imagePullPolicy: 'Always',
      imagePullSecret: ['registry'],
      leaderElect: true,
      faults: ['container-kill'],
      faultScope: 'cluster',
    },
    {
      image: { repository: 'example/turnsole', tag: '9', pullPolicy: 'Always' },
      imagePullSecrets: ['registry'],
      leaderElect: true,
      faults: ['container-kill'],
      faultScope: 'cluster',
    },
  ],
];

for (const [name, options, values] of CASES) {
  test(`the chart ${name} makes the same objects as turnsole install`, async () => {
    assert.deepEqual(byName(chartObjects(values)), byName(await installObjects(options)));
  });
}

function chartObjects(values: Record<string, unknown>): InstallObject[] {
  const content = (path: string): string => files.find((file) => file.path === path)?.content ?? '';
  const templates = files.filter(({ path }) => path.startsWith('templates/'));
  const rendered = renderChart({
    templates: Object.fromEntries(templates.map((file) => [file.path, file.content])),
    root: {
      // The chart's own values are a map.
      Values: { ...(parse(content('values.yaml')) as Record<string, unknown>), ...values },
      Release: { Namespace: 'litmus', Service: 'Helm' },
      Chart: { AppVersion: VERSION },
      Capabilities: { APIVersions: { Has: () => true } },
    },
  });
  return Object.entries(rendered)
    .filter(([path]) => path.endsWith('.yaml'))
    .flatMap(([, text]) => parseAllDocuments(text))
    .map((document) => {
      assert.deepEqual(document.errors, []);
      return document.toJS() as InstallObject | null;
    })
    .filter((object) => object !== null);
}

/** What Helm does not do with templates: definitions are a folder of their own, namespaces its user's. */
async function installObjects(options: InstallOptions): Promise<InstallObject[]> {
  const faults = files
    .map(({ path }) => /^templates\/fault-(.*)\.yaml$/.exec(path)?.[1] ?? '')
    .filter(Boolean);
  const { settings } = compileSettings(options, { version: VERSION, faults });
  const objects = renderInstall(settings, await loadFaults(settings.faults));
  return objects.filter(({ kind }) => kind !== 'CustomResourceDefinition' && kind !== 'Namespace');
}

function byName(objects: readonly InstallObject[]): Map<string, unknown> {
  const plain = JSON.stringify(objects).replaceAll('managed-by":"Helm"', 'managed-by":"turnsole"');
  // The same objects again.
  const all = JSON.parse(plain) as InstallObject[];
  const named = all.map(
    (object) =>
      [`${object.kind} ${object.metadata.namespace ?? ''}/${object.metadata.name}`, object] as const,
  );
  const map = new Map<string, unknown>(named.sort(([a], [b]) => (a < b ? -1 : 1)));
  assert.equal(map.size, objects.length, 'two objects have the same name');
  return map;
}

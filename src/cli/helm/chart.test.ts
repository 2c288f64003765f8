import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { packageVersion } from '../../process/version.ts';
import type { InstallObject } from '../../services/install/install-object.ts';
import { loadFaults } from '../../services/install/load-faults.ts';
import { CONTROL_PLANE_KEY_SECRET } from '../../services/install/names.ts';
import { renderInstall } from '../../services/install/render.ts';
import { compileInstallSettings, type InstallOptions } from '../../services/install/settings.ts';
import { ALERTS, CHART, currentAlerts, currentChart } from './generate.ts';
import { renderChart } from './testing/render-chart.ts';

const VERSION = packageVersion();
const files = await currentChart();

// Debian has no package of it, so where it is missing, render-chart.ts stands in for it.
const run = promisify(execFile);
const NO_HELM =
  (await run('helm', ['version', '--short']).catch(() => undefined)) === undefined && 'takes helm';

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

test('the stored alerts are those that would be generated', () => {
  assert.equal(readFileSync(ALERTS, 'utf8'), currentAlerts(), 'they are old; run "npm run generate"');
});

const DIGEST = `sha256:${'a1'.repeat(32)}`;
/** Under the same names in the chart's values and in the file of `turnsole install --values`. */
const PLATFORM = {
  labels: { team: 'sre', 'example.org/cost': '7' },
  annotations: { 'example.org/owner': 'sre', 'example.org/on': 'true' },
  nodeSelector: { pool: 'infra' },
  tolerations: [{ key: 'infra', operator: 'Exists', effect: 'NoSchedule' }],
  affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
  ],
  extraEnv: [{ name: 'HTTPS_PROXY', value: 'http://proxy:3128' }],
  podSecurityContext: { runAsNonRoot: true },
  securityContext: { readOnlyRootFilesystem: true },
  ingressClassName: 'nginx',
  ingressAnnotations: { 'cert-manager.io/cluster-issuer': 'letsencrypt' },
  storageClassName: 'fast',
  storageSize: '20Gi',
};
const EVERYTHING = {
  webhook: true,
  subscriber: true,
  controlPlane: true,
  eventTracker: true,
  exporter: true,
};

const CASES: readonly [string, InstallOptions, Record<string, unknown>][] = [
  ['with a control plane on a claim', { workflows: false, controlPlane: true }, { controlPlane: true }],
  [
    'with a control plane that speaks HTTPS',
    { workflows: false, controlPlane: true, controlPlaneTlsSecret: 'tls' },
    { controlPlane: true, controlPlaneTlsSecret: 'tls' },
  ],
  [
    'with several servers on PostgreSQL behind an Ingress',
    {
      workflows: false,
      replicas: 2,
      controlPlane: true,
      controlPlaneDatabaseSecret: 'db/address',
      controlPlaneTlsSecret: 'tls',
      controlPlaneHost: 'chaos.example.org',
    },
    {
      replicas: 2,
      controlPlane: true,
      controlPlaneDatabaseSecret: 'db',
      controlPlaneDatabaseKey: 'address',
      controlPlaneTlsSecret: 'tls',
      controlPlaneHost: 'chaos.example.org',
    },
  ],
  ['as it is', { workflows: false }, {}],
  [
    'with all that platform teams ask, for every component',
    {
      ...EVERYTHING,
      workflows: true,
      controlPlaneHost: 'chaos.example.org',
      faults: ['pod-delete'],
      platform: PLATFORM,
    },
    {
      ...EVERYTHING,
      workflows: true,
      controlPlaneHost: 'chaos.example.org',
      faults: ['pod-delete'],
      ...PLATFORM,
    },
  ],
  [
    'with annotations of the Ingress alone, and a digest',
    {
      workflows: false,
      controlPlane: true,
      controlPlaneHost: 'chaos.example.org',
      image: `example/turnsole@${DIGEST}`,
      platform: { ingressAnnotations: PLATFORM.ingressAnnotations },
    },
    {
      controlPlane: true,
      controlPlaneHost: 'chaos.example.org',
      image: { repository: 'example/turnsole', tag: '', digest: DIGEST, pullPolicy: 'IfNotPresent' },
      ingressAnnotations: PLATFORM.ingressAnnotations,
    },
  ],
  [
    'with workflows of LitmusChaos in one namespace, two controllers and two subscribers',
    {
      subscriber: true,
      eventTracker: true,
      exporter: true,
      serviceMonitor: true,
      workflows: true,
      instanceId: 'a-1',
      otlpEndpoint: 'otel.monitoring:4317',
      watchNamespace: 'shop',
      replicas: 2,
      faults: ['pod-delete'],
    },
    {
      subscriber: true,
      eventTracker: true,
      exporter: true,
      serviceMonitor: true,
      workflows: true,
      instanceId: 'a-1',
      otlpEndpoint: 'otel.monitoring:4317',
      watchNamespace: 'shop',
      replicas: 2,
      faults: ['pod-delete'],
    },
  ],
  [
    'with workflows and faults everywhere',
    {
      subscriber: true,
      eventTracker: true,
      exporter: true,
      faults: ['pod-delete'],
      faultScope: 'cluster',
      faultNamespace: ['shop', 'web'],
    },
    {
      subscriber: true,
      eventTracker: true,
      exporter: true,
      workflows: true,
      faults: ['pod-delete'],
      faultScope: 'cluster',
      faultNamespaces: ['shop', 'web'],
    },
  ],
  [
    'for one namespace, with a fault',
    { watchNamespace: 'shop', faults: ['pod-delete'], webhook: true, workflows: false },
    { watchNamespace: 'shop', faults: ['pod-delete'], webhook: true },
  ],
  [
    'with several operators and faults in two namespaces',
    {
      workflows: false,
      replicas: 3,
      faults: ['all'],
      faultNamespace: ['shop', 'web'],
      priorityClass: 'high',
      webhook: true,
    },
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
      workflows: false,
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

  test(`Helm itself: the chart ${name} makes the same objects`, { skip: NO_HELM }, async () => {
    assert.deepEqual(byName(await helmObjects(values)), byName(await installObjects(options)));
  });
}

const SCHEMA_CASES: readonly [string, Record<string, unknown>, RegExp | undefined][] = [
  ['nothing', {}, undefined],
  ['all that platform teams ask', PLATFORM, undefined],
  ['a version that is a number', { image: { tag: 9 } }, undefined],
  ['a field there is not', { nodeSelektor: {} }, /additional properties/],
  ['a label by which objects are found', { labels: { 'app.kubernetes.io/name': 'x' } }, /property name/],
  ['a digest that is none', { image: { digest: 'abc' } }, /pattern/],
  ['a monitor of an exporter that is not installed', { serviceMonitor: true }, /constant/],
  ['a monitor of the exporter', { serviceMonitor: true, exporter: true }, undefined],
];

for (const [name, values, refusal] of SCHEMA_CASES) {
  test(`the schema of the values ${refusal === undefined ? 'takes' : 'refuses'} ${name}`, () => {
    const content = (path: string): string => files.find((file) => file.path === path)?.content ?? '';
    const ajv = new Ajv({ allowUnionTypes: true });
    // Helm judges the chart's own values with those of the user over them.
    const whole = { ...(parse(content('values.yaml')) as Record<string, unknown>), ...values };
    const isValid = ajv.validate(JSON.parse(content('values.schema.json')) as object, whole);
    assert.equal(isValid, refusal === undefined, ajv.errorsText());
    if (refusal !== undefined) assert.match(ajv.errorsText(), refusal);
  });
}

const NOTES: readonly [string, Record<string, unknown>, boolean][] = [
  ['lists what is missing', { faults: ['node-drain'] }, true],
  ['lists what is missing, with all faults', { faults: ['all'] }, true],
  ['has what it needs', { faults: ['node-drain'], faultScope: 'cluster' }, false],
  ['is not installed', { faults: ['pod-delete'] }, false],
];

for (const [name, values, isLacking] of NOTES) {
  test(`the notes of an installation: node-drain ${name}`, () => {
    const notes = rendered(values)['templates/NOTES.txt'] ?? '';
    assert.equal(/^node-drain cannot work yet: .*--set faultScope=cluster grants\.$/m.test(notes), isLacking);
  });
}

test('the key of the control plane is made once, and an upgrade keeps it', () => {
  const keyOf = (found?: unknown): string => {
    const [secret] = objectsIn([
      rendered({ controlPlane: true }, found)['templates/control-plane.yaml'] ?? '',
    ]);
    assert.ok(secret);
    const { TURNSOLE_SECRET_KEY: key = '' } = secret['data'] as Record<string, string>;
    return key;
  };
  const made = keyOf();
  assert.equal(Buffer.from(Buffer.from(made, 'base64').toString(), 'base64').length, 32);
  assert.equal(keyOf({ data: { TURNSOLE_SECRET_KEY: made } }), made);
});

function chartObjects(values: Record<string, unknown>): InstallObject[] {
  const texts = Object.entries(rendered(values)).filter(([path]) => path.endsWith('.yaml'));
  return objectsIn(texts.map(([, text]) => text));
}

/** What `helm template` makes of the stored chart. */
async function helmObjects(values: Record<string, unknown>): Promise<InstallObject[]> {
  const given = Object.entries(values).flatMap(([key, value]) => [
    '--set-json',
    `${key}=${JSON.stringify(value)}`,
  ]);
  const { stdout } = await run('helm', ['template', 'turnsole', CHART, '--namespace', 'litmus', ...given], {
    maxBuffer: 16 * 1024 * 1024,
  });
  return objectsIn([stdout]);
}

function objectsIn(texts: readonly string[]): InstallObject[] {
  return texts
    .flatMap((text) => parseAllDocuments(text))
    .map((document) => {
      assert.deepEqual(document.errors, []);
      return document.toJS() as InstallObject | null;
    })
    .filter((object) => object !== null);
}

/** The texts of all templates, by path. */
function rendered(values: Record<string, unknown>, found?: unknown): Record<string, string> {
  const content = (path: string): string => files.find((file) => file.path === path)?.content ?? '';
  const templates = files.filter(({ path }) => path.startsWith('templates/'));
  return renderChart({
    templates: Object.fromEntries(templates.map((file) => [file.path, file.content])),
    root: {
      // The chart's own values are a map.
      Values: { ...(parse(content('values.yaml')) as Record<string, unknown>), ...values },
      Found: found,
      Release: { Namespace: 'litmus', Service: 'Helm' },
      Chart: { AppVersion: VERSION },
      Capabilities: { APIVersions: { Has: () => true } },
    },
  });
}

/** What Helm does not do with templates: definitions are a folder of their own, namespaces its user's. */
async function installObjects(options: InstallOptions): Promise<InstallObject[]> {
  const faults = files
    .map(({ path }) => /^templates\/fault-(.*)\.yaml$/.exec(path)?.[1] ?? '')
    .filter(Boolean);
  const { settings } = compileInstallSettings(options, { version: VERSION, faults });
  const objects = renderInstall(settings, await loadFaults(settings.faults));
  return objects.filter(({ kind }) => kind !== 'CustomResourceDefinition' && kind !== 'Namespace');
}

/** The key is random in the chart and made afterwards by install; only Helm has the order to keep what it has made. */
function comparable(object: InstallObject): InstallObject {
  const { annotations: { 'helm.sh/resource-policy': _, ...annotations } = {}, ...metadata } = object.metadata;
  const rest = Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations };
  const isKey = object.kind === 'Secret' && metadata.name === CONTROL_PLANE_KEY_SECRET;
  return { ...object, metadata: rest, ...(isKey && { data: undefined }) };
}

function byName(objects: readonly InstallObject[]): Map<string, unknown> {
  const plain = JSON.stringify(objects.map(comparable)).replaceAll(
    'managed-by":"Helm"',
    'managed-by":"turnsole"',
  );
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

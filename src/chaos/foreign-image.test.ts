import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChaosEngine } from '../api/index.ts';
import { composeExperimentEnv, handoutOf } from './experiment-env.ts';
import { refusalOfForeign } from './foreign-image.ts';

interface Row {
  readonly namespace?: string;
  readonly appinfo?: ChaosEngine['spec']['appinfo'];
  readonly chart?: Readonly<Record<string, string>>;
  readonly entry?: Readonly<Record<string, string>>;
  readonly protectedNamespaces?: string;
  /** Undefined: the image may be started. */
  readonly refused: string | undefined;
}

const shop = { appns: 'shop', applabel: 'app=web', appkind: 'deployment' } as const;
const system = { ...shop, appns: 'kube-system' };

const rows: Readonly<Record<string, Row>> = {
  'the engine targets another namespace': { appinfo: shop, refused: undefined },
  'the engine targets a protected one': { appinfo: system, refused: 'kube-system' },
  'the entry targets a protected one': {
    appinfo: shop,
    entry: { TARGETS: 'deployment:shop:[app=web]; pod: kube-system :[dns]' },
    refused: 'kube-system',
  },
  'the chart targets a protected one': {
    appinfo: shop,
    chart: { TARGETS: 'pod:kube-system:[dns]' },
    refused: 'kube-system',
  },
  'the entry targets another than the chart': {
    chart: { TARGETS: 'pod:kube-system:[dns]' },
    entry: { TARGETS: 'pod:shop:[web]' },
    refused: undefined,
  },
  'the entry targets another than the engine': {
    appinfo: system,
    entry: { TARGETS: 'pod:shop:[web]' },
    refused: undefined,
  },
  'pods by name in a protected namespace': {
    namespace: 'kube-system',
    entry: { TARGET_PODS: 'dns' },
    refused: 'kube-system',
  },
  'pods by name of the targets elsewhere': {
    namespace: 'kube-system',
    appinfo: shop,
    entry: { TARGET_PODS: 'web' },
    refused: undefined,
  },
  'no pods at all': { namespace: 'kube-system', refused: undefined },
  'it is meant': {
    appinfo: system,
    entry: { ALLOW_PROTECTED_NAMESPACES: 'kube-system' },
    refused: undefined,
  },
  'the operator protects others': { appinfo: system, protectedNamespaces: 'db', refused: undefined },
};

for (const [name, row] of Object.entries(rows)) {
  test(`foreign image and protected namespaces: ${name}`, () => {
    const { namespace = 'chaos', appinfo, protectedNamespaces = '', refused } = row;
    const entry = { name: 'pod-delete', spec: { components: { env: envOf(row.entry) } } };
    const engine: ChaosEngine = {
      metadata: { name: 'web', namespace },
      spec: { appinfo, experiments: [entry] },
    };
    const { variables: env } = composeExperimentEnv({
      engine,
      name: entry.name,
      definition: { env: envOf(row.chart) },
      entry,
      position: 0,
      handout: handoutOf(engine, { protectedNamespaces }),
      pullPolicy: 'Always',
    });
    const refusal = refusalOfForeign({ engine, env, image: 'their/go-runner:1', protectedNamespaces });
    assert.equal(refusal && /the targets are in ([^;]*);/.exec(refusal)?.[1], refused);
  });
}

function envOf(values: Readonly<Record<string, string>> = {}) {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

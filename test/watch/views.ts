import type { Seeded } from '../support/seeded.ts';

/** An object as watches deliver it. */
export interface WatchedObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: { readonly nodeName?: string };
  readonly status?: { readonly phase?: string };
}

/** A kind that is written and watched. */
export interface WatchedKind {
  /** Name of the store's table. */
  readonly table: string;
  readonly plural: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  /** Groups and versions that serve it, as the beginning of paths. */
  readonly roots: readonly string[];
  /** What an object of it needs besides its metadata. */
  readonly body: (random: Seeded) => object;
}

export const NAMESPACES = ['default', 'other'] as const;
export const NAMES = ['a', 'b', 'c', 'd', 'e'] as const;
const NODES = ['n1', 'n2'] as const;
export const PHASES = ['Pending', 'Running', 'Succeeded'] as const;

export const KINDS: readonly WatchedKind[] = [
  {
    table: 'configmaps',
    plural: 'configmaps',
    kind: 'ConfigMap',
    isNamespaced: true,
    roots: ['/api/v1'],
    body: (random) => ({
      data: { text: 'x'.repeat(random.chance(0.2) ? random.between(5_000, 60_000) : 5) },
    }),
  },
  {
    table: 'pods',
    plural: 'pods',
    kind: 'Pod',
    isNamespaced: true,
    roots: ['/api/v1'],
    body: (random) => ({
      spec: {
        automountServiceAccountToken: false,
        containers: [{ name: 'main', image: 'app:1' }],
        ...(random.chance(0.7) ? { nodeName: random.pick(NODES) } : {}),
      },
    }),
  },
  {
    table: 'widgets.watch.example',
    plural: 'widgets',
    kind: 'Widget',
    isNamespaced: true,
    roots: ['/apis/watch.example/v1', '/apis/watch.example/v1beta1'],
    body: (random) => ({ spec: { size: random.between(1, 9) } }),
  },
  {
    table: 'priorityclasses.scheduling.k8s.io',
    plural: 'priorityclasses',
    kind: 'PriorityClass',
    isNamespaced: false,
    roots: ['/apis/scheduling.k8s.io/v1'],
    body: () => ({ value: 7 }),
  },
];

/** The definition of the custom kind: two versions of one schema. */
export const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.watch.example' },
  spec: {
    group: 'watch.example',
    names: { plural: 'widgets', kind: 'Widget' },
    scope: 'Namespaced',
    versions: ['v1', 'v1beta1'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      },
    })),
  },
};

/** What a watch selects, as a query and as a function that was written apart from the server's. */
export interface View {
  readonly kind: WatchedKind;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly selects: (object: WatchedObject) => boolean;
}

interface Condition {
  readonly text: string;
  readonly holds: (object: WatchedObject) => boolean;
}

const label = (object: WatchedObject, key: string): string | undefined => object.metadata.labels?.[key];

const LABEL_CONDITIONS: readonly Condition[] = [
  { text: 'app=x', holds: (object) => label(object, 'app') === 'x' },
  { text: 'app!=x', holds: (object) => label(object, 'app') !== 'x' },
  { text: 'app in (x,y)', holds: (object) => ['x', 'y'].includes(label(object, 'app') ?? '') },
  { text: 'app notin (x,y)', holds: (object) => !['x', 'y'].includes(label(object, 'app') ?? '') },
  { text: 'tier', holds: (object) => label(object, 'tier') !== undefined },
  { text: '!tier', holds: (object) => label(object, 'tier') === undefined },
  {
    text: 'app=x,tier',
    holds: (object) => label(object, 'app') === 'x' && label(object, 'tier') !== undefined,
  },
];

function fieldConditions({ table, isNamespaced }: WatchedKind): readonly Condition[] {
  const conditions: Condition[] = [
    { text: 'metadata.name=a', holds: ({ metadata }) => metadata.name === 'a' },
    { text: 'metadata.name!=a', holds: ({ metadata }) => metadata.name !== 'a' },
  ];
  if (isNamespaced) {
    conditions.push({
      text: 'metadata.namespace=other',
      holds: ({ metadata }) => metadata.namespace === 'other',
    });
  }
  if (table === 'pods') {
    conditions.push(
      { text: 'spec.nodeName=n1', holds: ({ spec }) => spec?.nodeName === 'n1' },
      { text: 'spec.nodeName=', holds: ({ spec }) => (spec?.nodeName ?? '') === '' },
      { text: 'status.phase=Running', holds: ({ status }) => status?.phase === 'Running' },
      {
        text: 'status.phase!=Running,spec.nodeName=n1',
        holds: ({ spec, status }) => status?.phase !== 'Running' && spec?.nodeName === 'n1',
      },
    );
  }
  return conditions;
}

/** A random view: a kind, maybe one namespace, maybe selectors. */
export function drawView(random: Seeded, kind: WatchedKind = random.pick(KINDS)): View {
  const namespace = kind.isNamespaced && random.chance(0.4) ? random.pick(NAMESPACES) : undefined;
  const labels = random.chance(0.5) ? random.pick(LABEL_CONDITIONS) : undefined;
  const fields = random.chance(0.3) ? random.pick(fieldConditions(kind)) : undefined;
  const where = namespace === undefined ? '' : `/namespaces/${namespace}`;
  return {
    kind,
    path: `${random.pick(kind.roots)}${where}/${kind.plural}`,
    query: {
      ...(labels === undefined ? {} : { labelSelector: labels.text }),
      ...(fields === undefined ? {} : { fieldSelector: fields.text }),
    },
    selects: (object) =>
      (namespace === undefined || object.metadata.namespace === namespace) &&
      (labels?.holds(object) ?? true) &&
      (fields?.holds(object) ?? true),
  };
}

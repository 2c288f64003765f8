import type { Seeded } from '../support/seeded.ts';

/** One hostile request, well formed as HTTP. */
export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const NAMESPACE = '/api/v1/namespaces/hostile';
const COLLECTIONS = [
  `${NAMESPACE}/configmaps`,
  `${NAMESPACE}/secrets`,
  `${NAMESPACE}/pods`,
  `${NAMESPACE}/services`,
  '/apis/apps/v1/namespaces/hostile/deployments',
  '/apis/batch/v1/namespaces/hostile/jobs',
  '/apis/rbac.authorization.k8s.io/v1/namespaces/hostile/roles',
  '/apis/fuzz.example/v1/namespaces/hostile/things',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
] as const;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
const TYPES = [
  'application/json',
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'text/plain',
  'application/json; charset=utf-16',
] as const;
const WORDS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  'a',
  '漢',
  '\u0000',
  '../..',
  'metadata',
  'name',
  'labels',
  'spec',
  'status',
  'finalizers',
  'ownerReferences',
  'managedFields',
  '$patch',
  '$retainKeys',
  '$setElementOrder/containers',
  'f:metadata',
  '\r\nX-Evil: 1',
  'x'.repeat(300),
] as const;
const NUMBERS = [0, -1, 1.5, 1e308, -1e308, 2 ** 53, 2 ** 63, 4294967296, 1e-320] as const;
const SEEDS: readonly object[] = [
  { metadata: { name: 'a', labels: { app: 'x' } }, data: { k: 'v' } },
  {
    metadata: { name: 'a' },
    spec: {
      automountServiceAccountToken: false,
      containers: [{ name: 'main', image: 'app:1', ports: [{ containerPort: 80 }] }],
    },
  },
  {
    metadata: { name: 'a' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'x' } },
      template: {
        metadata: { labels: { app: 'x' } },
        spec: { containers: [{ name: 'main', image: 'app:1' }] },
      },
    },
  },
  {
    apiVersion: 'fuzz.example/v1',
    kind: 'Thing',
    metadata: { name: 'a' },
    spec: { text: 'aaaa', list: [{ name: 'x' }] },
  },
  { metadata: { name: 'a' }, spec: { selector: { app: 'x' }, ports: [{ port: 80, targetPort: 'web' }] } },
  { metadata: { name: 'a' }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
  {
    metadata: { name: 'gadgets.fuzz.example' },
    spec: {
      group: 'fuzz.example',
      names: { plural: 'gadgets', kind: 'Gadget' },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } },
        },
      ],
    },
  },
];

/** Which of them is good for which collection. */
const FITTING = [0, 0, 1, 4, 2, 2, 5, 3, 6] as const;

/** Draws a request: a valid one with parts of it spoiled, or one made to cost much. */
export function drawRequest(random: Seeded): HostileRequest {
  const index = random.between(0, COLLECTIONS.length - 1);
  const collection = COLLECTIONS[index] ?? NAMESPACE;
  const method = random.pick(METHODS);
  const type = drawType(random, method);
  const tail = random.chance(0.7)
    ? method === 'POST'
      ? ''
      : random.pick(['', '/a', '/a', '/a'])
    : random.pick([
        '',
        '/a',
        '/a',
        '/a/status',
        '/a/scale',
        '/a/log',
        '/a/eviction',
        '/%2e%2e',
        '/__proto__',
        '/a%00b',
        '/a%2Fb',
        '/%zz',
      ]);
  return {
    method,
    path: `${collection}${tail}${drawQuery(random)}`,
    headers: {
      'content-type': type,
      accept: random.pick([
        'application/json',
        '*/*',
        'application/json;as=Table;v=v1;g=meta.k8s.io',
        'application/yaml',
        ';;;,=',
      ]),
      ...(random.chance(0.05) ? { 'content-encoding': 'gzip' } : {}),
      ...(random.chance(0.05) ? { 'impersonate-user': random.pick(WORDS).replace(/[^ -~]/g, '') } : {}),
    },
    body: method === 'GET' || method === 'HEAD' ? Buffer.alloc(0) : drawBody(random, type, FITTING[index]),
  };
}

/** Mostly a type that fits the method, so that the body is looked at. */
function drawType(random: Seeded, method: string): string {
  if (random.chance(0.2)) return random.pick(TYPES);
  return method === 'PATCH' ? random.pick(TYPES.slice(1, 5)) : 'application/json';
}

function drawQuery(random: Seeded): string {
  if (random.chance(0.6))
    return random.pick(['', '', '?fieldValidation=Ignore', '?fieldManager=fuzz&force=true']);
  const query = new URLSearchParams();
  const names = [
    'limit',
    'continue',
    'labelSelector',
    'fieldSelector',
    'resourceVersion',
    'resourceVersionMatch',
    'dryRun',
    'fieldManager',
    'fieldValidation',
    'force',
    'gracePeriodSeconds',
    'propagationPolicy',
    'timeoutSeconds',
    'sendInitialEvents',
    'container',
    'tailLines',
    '__proto__',
  ];
  for (let count = random.between(0, 3); count > 0; count -= 1) {
    const value = random.pick<unknown>([
      ...WORDS,
      ...NUMBERS,
      'All',
      'true',
      'a=b',
      '!a',
      `a in (${'x,'.repeat(2_000)}x)`,
      'metadata.name=a',
      Array(500).fill('!a').join(','),
      Buffer.from('{"rv":-1,"start":{}}').toString('base64url'),
    ]);
    query.append(random.pick(names), String(value));
  }
  return query.size === 0 ? '' : `?${query}`;
}

function drawBody(random: Seeded, type: string, fitting = 0): Buffer {
  const draw = random.next();
  if (draw < 0.06) return drawBomb(random);
  if (draw < 0.1)
    return Buffer.from(Array.from({ length: random.between(0, 200) }, () => random.between(0, 255)));
  const value =
    type === 'application/json-patch+json'
      ? drawOperations(random)
      : spoil(random, structuredClone(random.chance(0.8) ? SEEDS[fitting] : random.pick(SEEDS)));
  const text = JSON.stringify(value);
  if (draw < 0.2) return Buffer.from(damage(random, text));
  if (draw < 0.25) return Buffer.concat([Buffer.from('k8s\0'), Buffer.from(text)]);
  return Buffer.from(text);
}

/** Bodies that are small to send and may be large to work on. */
function drawBomb(random: Seeded): Buffer {
  const text = random.pick<() => string>([
    () => '['.repeat(random.between(500, 100_000)),
    () => `{"a":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_001)}`,
    () =>
      `{"metadata":{"name":"a","labels":{${Array.from({ length: 20_000 }, (_, index) => `"!${index}":"$"`).join()}}}}`,
    () => `{"metadata":{"name":"a","annotations":{"k":"${'x'.repeat(400_000)}"}}}`,
    () =>
      `a: &a [x,x]\n${'bcdefghi'
        .split('')
        .map((name, index) => `${name}: &${name} [${`*${'abcdefgh'[index]},`.repeat(9)}]`)
        .join('\n')}`,
    () =>
      JSON.stringify(
        Array.from({ length: 40 }, (_, index) => ({
          op: 'copy',
          from: '/metadata',
          path: `/metadata/x${index}`,
        })),
      ),
    () => JSON.stringify(Array(10_001).fill({ op: 'test', path: '', value: {} })),
    () =>
      JSON.stringify({
        apiVersion: 'fuzz.example/v1',
        kind: 'Thing',
        metadata: { name: 'a' },
        spec: { text: `${'a'.repeat(50)}!` },
      }),
    () =>
      `{"apiVersion":"fuzz.example/v1","kind":"Thing","metadata":{"name":"b"},"spec":{"list":[${'{"name":"x"},'.repeat(5_000)}{}]}}`,
    () => `{"a":1,"a":${'9'.repeat(5_000)},"metadata":{"name":"\\ud800"}}`,
    () => 'x'.repeat(3 * 1024 * 1024 + 1),
  ]);
  return Buffer.from(text());
}

function drawOperations(random: Seeded): object[] {
  const paths = [
    '',
    '/',
    '/metadata',
    '/metadata/labels',
    '/metadata/labels/-',
    '/__proto__/polluted',
    '/constructor/prototype/polluted',
    '/spec/containers/0',
    '/spec/containers/99999',
    '/data/~2',
    '/metadata/finalizers',
    'metadata',
  ];
  return Array.from({ length: random.between(0, 6) }, () => ({
    op: random.pick(['add', 'remove', 'replace', 'move', 'copy', 'test', 'frob']),
    path: random.pick(paths),
    from: random.pick(paths),
    value: drawValue(random, 3),
  }));
}

function drawValue(random: Seeded, depth: number): unknown {
  const draw = random.next();
  if (depth === 0 || draw < 0.5) return random.pick<unknown>([null, true, [], {}, ...WORDS, ...NUMBERS]);
  if (draw < 0.7) return Array.from({ length: random.between(0, 3) }, () => drawValue(random, depth - 1));
  // JSON.parse makes an own field of whatever name; assigning would not.
  const fields = Array.from(
    { length: random.between(0, 3) },
    () => `${JSON.stringify(random.pick(WORDS))}:${JSON.stringify(drawValue(random, depth - 1))}`,
  );
  return JSON.parse(`{${fields.join()}}`);
}

/** Replaces, adds or removes some parts of a good object. */
function spoil(random: Seeded, object: unknown): unknown {
  let result = object;
  for (let count = random.between(0, 2); count > 0; count -= 1) result = spoilOnce(random, result);
  return result;
}

function spoilOnce(random: Seeded, value: unknown): unknown {
  if (random.chance(0.15) || typeof value !== 'object' || value === null) return drawValue(random, 3);
  const entries = Object.entries(value);
  const chosen = random.between(0, entries.length);
  if (Array.isArray(value))
    return value.map((item, index) => (index === chosen ? spoilOnce(random, item) : item));
  const texts = entries.map(
    ([name, item], index) =>
      `${JSON.stringify(name)}:${JSON.stringify(index === chosen ? spoilOnce(random, item) : item)}`,
  );
  if (chosen === entries.length)
    texts.push(`${JSON.stringify(random.pick(WORDS))}:${JSON.stringify(drawValue(random, 3))}`);
  return JSON.parse(`{${texts.join()}}`);
}

function damage(random: Seeded, text: string): string {
  const at = random.between(0, text.length);
  return (
    text.slice(0, at) +
    random.pick(['', '"', '{', '\u0000', '\\u005f', ',,', '9'.repeat(400)]) +
    text.slice(at + random.between(0, 5))
  );
}

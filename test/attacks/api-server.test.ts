import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Answer,
  type CallOptions,
  startTestServer,
  type TestServer,
} from '@turnsole/cluster/apiserver/testing/test-server';

const MARK = 'kept-from-attackers';
/** Of processor time, which the load of the machine does not lengthen. */
const MOST_CPU_MS = 5_000;
const HERS = '/api/v1/namespaces/hers';
const VICTIM = '/api/v1/namespaces/victim';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A row: its title, and the request. */
type Row = readonly [title: string, method: string, path: string, options?: CallOptions];

/** A cluster with a secret, and an account that may work with config maps, roles and bindings of its own namespace only. */
async function open(
  t: Parameters<typeof startTestServer>[0],
): Promise<TestServer & { readonly token: string }> {
  const server = await startTestServer(t);
  const made = async (path: string, body: object): Promise<Answer> => {
    const answer = await server.call('POST', path, { body });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer;
  };
  for (const name of ['hers', 'victim']) await made('/api/v1/namespaces', { metadata: { name } });
  await made(`${VICTIM}/secrets`, { metadata: { name: 'kept' }, stringData: { word: MARK } });
  for (const path of [HERS, VICTIM])
    await made(`${path}/configmaps`, {
      metadata: { name: 'a', annotations: { note: path === HERS ? '' : MARK } },
    });
  await made(`${HERS}/serviceaccounts`, { metadata: { name: 'mallory' } });
  const rules = [
    { apiGroups: [''], resources: ['configmaps'], verbs: ['*'] },
    {
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['roles', 'rolebindings'],
      verbs: ['get', 'create', 'update', 'patch'],
    },
  ];
  await made(`${RBAC}/namespaces/hers/roles`, { metadata: { name: 'own' }, rules });
  await made(`${RBAC}/namespaces/hers/rolebindings`, {
    metadata: { name: 'own' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'own' },
    subjects: [{ kind: 'ServiceAccount', name: 'mallory', namespace: 'hers' }],
  });
  const { body } = await made(`${HERS}/serviceaccounts/mallory/token`, { spec: {} });
  const { token } = body.status as { readonly token: string };
  assert.equal((await server.call('GET', `${HERS}/configmaps/a`, { token })).status, 200);
  return { ...server, token };
}

const patch = (type: string, body: unknown): CallOptions => ({ type: `application/${type}`, body });
const jsonPatch = (...operations: object[]): CallOptions => patch('json-patch+json', operations);
const configMap = (more: object): CallOptions => ({ body: { metadata: { name: 'b' }, ...more } });
const as = (headers: Readonly<Record<string, string>>): CallOptions => ({ headers });

/** Ways to what is in another namespace. */
const PATHS: readonly Row[] = [
  ...[
    `${VICTIM}/secrets/kept`,
    `${HERS}/../victim/secrets/kept`,
    `${HERS}/%2e%2e/victim/secrets/kept`,
    `${HERS}%2f..%2fvictim/secrets/kept`,
    `${HERS}/configmaps/..%2f..%2fvictim%2fsecrets%2fkept`,
    `/${VICTIM}/secrets/kept`,
    `${VICTIM}/secrets/kept/`,
    `${VICTIM.toUpperCase()}/secrets/kept`,
    `${VICTIM}/secrets;x=/kept`,
    `${VICTIM}/secrets%00/kept`,
    `${VICTIM}/secrets/kept?dryRun=All`,
    `${VICTIM}/secrets/kept?pretty=true#${HERS}/configmaps/a`,
    `${VICTIM}/secrets?watch=true`,
    `${VICTIM}/secrets?fieldSelector=metadata.name=kept`,
    '/api/v1/secrets',
    '/api/v1/watch/secrets',
    `/api/v1/watch/namespaces/victim/secrets/kept`,
    `/api/v1/configmaps?fieldSelector=metadata.namespace=hers`,
    `${VICTIM}/services/kept:80/proxy/`,
    `${VICTIM}/pods/a/log`,
    `${VICTIM}/pods/a/exec?command=sh`,
    '/api/v1/nodes/a/proxy/healthz',
    '/apis/metrics.k8s.io/v1beta1/namespaces/victim/pods',
  ].map((path): Row => [`reads ${path}`, 'GET', path]),
  ...['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'].map(
    (form): Row => [
      `reads secrets as ${form}`,
      'GET',
      `${VICTIM}/secrets`,
      as({ accept: `application/json;as=${form};g=meta.k8s.io;v=v1` }),
    ],
  ),
];

/** Words by which a caller would be somebody else. */
const IDENTITIES: readonly Row[] = (
  [
    ['Impersonate-User', 'system:admin'],
    ['Impersonate-Group', 'system:masters'],
    ['Impersonate-Uid', '1'],
    ['Impersonate-Extra-scopes', 'all'],
    ['impersonate-user', 'system:serviceaccount:kube-system:default'],
    ['Impersonate-User', ''],
    ['Authorization', 'Bearer undefined'],
    ['Authorization', 'Basic YWRtaW46YWRtaW4='],
    ['Authorization', 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJzeXN0ZW06YWRtaW4ifQ.'],
  ] as const
).map(
  ([name, value]): Row => [
    `says ${name}: ${value}`,
    'GET',
    `${VICTIM}/secrets/kept`,
    as({ [name.startsWith('A') ? 'authorization' : name]: value }),
  ],
);
const PROXIED: readonly Row[] = [
  'X-Remote-User',
  'X-Remote-Group',
  'X-Forwarded-User',
  'X-Original-User',
].map((name): Row => [`says ${name}`, 'GET', `${VICTIM}/secrets/kept`, as({ [name]: 'system:masters' })]);

const binding = (kind: string, name: string) => ({
  body: {
    metadata: { name: 'more' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
    subjects: [{ kind: 'ServiceAccount', name: 'mallory', namespace: 'hers' }],
  },
});
const secrets = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };

/** Ways to more rights. */
const RIGHTS: readonly Row[] = [
  [
    'binds itself to cluster-admin',
    'POST',
    `${RBAC}/namespaces/hers/rolebindings`,
    binding('ClusterRole', 'cluster-admin'),
  ],
  ['binds itself to edit', 'POST', `${RBAC}/namespaces/hers/rolebindings`, binding('ClusterRole', 'edit')],
  [
    'binds itself in another namespace',
    'POST',
    `${RBAC}/namespaces/victim/rolebindings`,
    binding('ClusterRole', 'view'),
  ],
  ['binds itself everywhere', 'POST', `${RBAC}/clusterrolebindings`, binding('ClusterRole', 'view')],
  [
    'makes a role that reads secrets',
    'POST',
    `${RBAC}/namespaces/hers/roles`,
    { body: { metadata: { name: 'more' }, rules: [secrets] } },
  ],
  [
    'adds a rule to its role',
    'PATCH',
    `${RBAC}/namespaces/hers/roles/own`,
    jsonPatch({ op: 'add', path: '/rules/-', value: secrets }),
  ],
  [
    'merges a rule into its role',
    'PATCH',
    `${RBAC}/namespaces/hers/roles/own`,
    patch('merge-patch+json', { rules: [secrets] }),
  ],
  [
    'applies a rule to its role',
    'PATCH',
    `${RBAC}/namespaces/hers/roles/own?fieldManager=m&force=true`,
    patch('apply-patch+yaml', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'own' },
      rules: [secrets],
    }),
  ],
  [
    'rebinds its binding',
    'PATCH',
    `${RBAC}/namespaces/hers/rolebindings/own`,
    patch('merge-patch+json', { roleRef: { kind: 'ClusterRole', name: 'cluster-admin' } }),
  ],
  [
    'makes a token of another account',
    'POST',
    `${HERS}/serviceaccounts/default/token`,
    { body: { spec: {} } },
  ],
  [
    'asks whose a token is',
    'POST',
    '/apis/authentication.k8s.io/v1/tokenreviews',
    { body: { spec: { token: 'x' } } },
  ],
  [
    'asks what others may',
    'POST',
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    { body: { spec: { user: 'system:admin', resourceAttributes: { verb: 'get', resource: 'secrets' } } } },
  ],
  [
    'finalizes a namespace',
    'PUT',
    `${VICTIM}/finalize`,
    { body: { metadata: { name: 'victim' }, spec: { finalizers: [] } } },
  ],
  [
    'writes a status',
    'PATCH',
    `${VICTIM}/status`,
    patch('merge-patch+json', { status: { phase: 'Terminating' } }),
  ],
  ['evicts a pod', 'POST', `${VICTIM}/pods/a/eviction`, { body: { metadata: { name: 'a' } } }],
  ['deletes the config maps of all', 'DELETE', `${VICTIM}/configmaps`],
];

/** Objects that are not what their path says, and names that are none. */
const OBJECTS: readonly Row[] = [
  [
    'another namespace in the body',
    'POST',
    `${HERS}/configmaps`,
    configMap({ metadata: { name: 'b', namespace: 'victim' } }),
  ],
  ['another name in the body', 'PUT', `${HERS}/configmaps/a`, configMap({})],
  ['another kind in the body', 'POST', `${HERS}/configmaps`, configMap({ apiVersion: 'v1', kind: 'Secret' })],
  ['another uid', 'PUT', `${HERS}/configmaps/a`, { body: { metadata: { name: 'a', uid: 'forged' } } }],
  [
    'a version that never was',
    'PUT',
    `${HERS}/configmaps/a`,
    { body: { metadata: { name: 'a', resourceVersion: '1' } } },
  ],
  ...['..', '.', 'a/b', 'UPPER', 'a\u0000', 'x'.repeat(254), '__proto__', 'ü', ' ', 'a\nb', '-a'].map(
    (name): Row => [
      `the name ${JSON.stringify(name.slice(0, 20))}`,
      'POST',
      `${HERS}/configmaps`,
      configMap({ metadata: { name } }),
    ],
  ),
  ['neither name nor its beginning', 'POST', `${HERS}/configmaps`, { body: { metadata: {} } }],
  [
    'a field named __proto__',
    'POST',
    `${HERS}/configmaps`,
    { body: '{"metadata":{"name":"b"},"data":{"__proto__":"x"}}' },
  ],
  [
    'a label with a line',
    'POST',
    `${HERS}/configmaps`,
    configMap({ metadata: { name: 'b', labels: { a: 'x\ny' } } }),
  ],
  [
    'annotations of a megabyte',
    'POST',
    `${HERS}/configmaps`,
    configMap({ metadata: { name: 'b', annotations: { a: 'x'.repeat(300_000) } } }),
  ],
  [
    'an owner without a uid',
    'POST',
    `${HERS}/configmaps`,
    configMap({
      metadata: { name: 'b', ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', name: 'kept' }] },
    }),
  ],
  ['data that is a list', 'POST', `${HERS}/configmaps`, configMap({ data: [1] })],
];

const ALIASES = `a: &a [x, x, x, x, x, x, x, x, x]\n${Array.from(
  { length: 9 },
  (_, index) =>
    `a${index}: &b${index} [${Array(9)
      .fill(index === 0 ? '*a' : `*b${index - 1}`)
      .join(', ')}]`,
).join('\n')}\n`;
const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

/** Bodies that cost more than they are worth, or cannot be read. */
const BODIES: readonly Row[] = [
  ['no JSON', 'POST', `${HERS}/configmaps`, { body: '{' }],
  ['nothing', 'POST', `${HERS}/configmaps`, { body: '' }],
  ['a list', 'POST', `${HERS}/configmaps`, { body: '[]' }],
  ['null', 'POST', `${HERS}/configmaps`, { body: 'null' }],
  ['ten thousand levels', 'POST', `${HERS}/configmaps`, { body: nested(10_000) }],
  ['four megabytes', 'POST', `${HERS}/configmaps`, { body: JSON.stringify({ a: 'x'.repeat(4_000_000) }) }],
  [
    'half a million fields',
    'POST',
    `${HERS}/configmaps`,
    { body: `{${Array.from({ length: 200_000 }, (_, index) => `"a${index}":1`).join(',')}}` },
  ],
  ['aliases of aliases', 'POST', `${HERS}/configmaps`, { type: 'application/yaml', body: ALIASES }],
  [
    'a text that is no UTF-8',
    'POST',
    `${HERS}/configmaps`,
    { body: Buffer.from('7b226d65746164617461223a7b226e616d65223a22ff227d7d', 'hex') },
  ],
  ['XML', 'POST', `${HERS}/configmaps`, { type: 'application/xml', body: '<a/>' }],
  ['a form', 'POST', `${HERS}/configmaps`, { type: 'application/x-www-form-urlencoded', body: 'a=b' }],
  [
    'a patch in place of an object',
    'POST',
    `${HERS}/configmaps`,
    jsonPatch({ op: 'add', path: '/a', value: 1 }),
  ],
  [
    'protobuf that is none',
    'POST',
    `${HERS}/configmaps`,
    { type: 'application/vnd.kubernetes.protobuf', body: Buffer.from('6b3873000aff', 'hex') },
  ],
];

/** Patches that reach for more than fields of an object. */
const PATCHES: readonly Row[] = [
  [
    'moves it into another namespace',
    jsonPatch({ op: 'replace', path: '/metadata/namespace', value: 'victim' }),
  ],
  ['renames it', jsonPatch({ op: 'replace', path: '/metadata/name', value: 'b' })],
  ['gives it another uid', jsonPatch({ op: 'replace', path: '/metadata/uid', value: 'forged' })],
  ['makes a secret of it', jsonPatch({ op: 'replace', path: '/kind', value: 'Secret' })],
  ['writes a prototype', jsonPatch({ op: 'add', path: '/__proto__/polluted', value: 'x' })],
  ['writes a constructor', jsonPatch({ op: 'add', path: '/constructor/prototype/polluted', value: 'x' })],
  ['replaces the whole object', jsonPatch({ op: 'replace', path: '', value: {} })],
  ['removes the whole object', jsonPatch({ op: 'remove', path: '' })],
  ['moves a part into itself', jsonPatch({ op: 'move', from: '/metadata', path: '/metadata/labels' })],
  [
    'copies and doubles',
    jsonPatch(
      { op: 'add', path: '/data', value: { a: 'x'.repeat(1000) } },
      ...Array.from({ length: 40 }, (_, index) => ({ op: 'copy', from: '/data', path: `/data/c${index}` })),
    ),
  ],
  ['has an operation that is none', jsonPatch({ op: 'eval', path: '/data', value: 1 })],
  ['has a path that is none', jsonPatch({ op: 'add', path: 'data', value: 1 })],
  ['adds at an index beyond a list', jsonPatch({ op: 'add', path: '/metadata/finalizers/99', value: 'a/b' })],
  [
    'tests what is not so',
    jsonPatch({ op: 'test', path: '/metadata/name', value: 'z' }, { op: 'add', path: '/data', value: {} }),
  ],
  [
    'has twenty thousand operations',
    jsonPatch(...Array.from({ length: 20_000 }, () => ({ op: 'test', path: '/kind', value: 'ConfigMap' }))),
  ],
  ['is a list where an object is merged', patch('merge-patch+json', [1])],
  ['directs what no directive is', patch('strategic-merge-patch+json', { metadata: { $patch: 'explode' } })],
  [
    'applies without a manager',
    patch('apply-patch+yaml', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }),
  ],
  ['has a type that is none', { type: 'application/patch', body: '{}' }],
].map(
  ([title, options]): Row => [
    `a patch ${title as string}`,
    'PATCH',
    `${HERS}/configmaps/a`,
    options as CallOptions,
  ],
);

/** Questions about lists that no list answers. */
const QUERIES: readonly Row[] = [
  'limit=1e99',
  'continue=x',
  `continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":-1,"start":"../../victim/configmaps"}').toString('base64url')}`,
  `continue=${'A'.repeat(20_000)}`,
  'resourceVersionMatch=Whatever&resourceVersion=1',
  'labelSelector=a%20in%20(',
  `labelSelector=${'a,'.repeat(9_000)}`,
  'fieldSelector=data.word=x',
  'fieldSelector=__proto__=x',
].map((query): Row => [`a list with ${query.slice(0, 60)}`, 'GET', `${HERS}/configmaps?${query}`]);

const crd = (schema: object, more: object = {}): CallOptions => ({
  body: {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'bombs.evil.example' },
    spec: {
      group: 'evil.example',
      scope: 'Namespaced',
      names: { plural: 'bombs', singular: 'bomb', kind: 'Bomb', listKind: 'BombList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      ...more,
    },
  },
});
const ofSpec = (schema: object): object => ({ type: 'object', properties: { spec: schema } });
/** As text: it is deeper than JSON.stringify goes. */
const deepDefinition = (): CallOptions => {
  const levels = 10_000;
  const schema = `${'{"type":"object","properties":{"a":'.repeat(levels)}{"type":"string"}${'}}'.repeat(levels)}`;
  return { body: JSON.stringify(crd(ofSpec({ title: 'HERE' })).body).replace('{"title":"HERE"}', schema) };
};

/** Definitions whose checks would cost without end, or which would take a name that is not theirs. By an administrator. */
const DEFINITIONS: readonly Row[] = [
  [
    'a pattern that repeats repetitions',
    crd(ofSpec({ type: 'string', pattern: '((a{1,1000}){1,1000}){1,1000}' })),
  ],
  [
    'a pattern of a hundred thousand characters',
    crd(ofSpec({ type: 'string', pattern: 'a?'.repeat(50_000) })),
  ],
  ['a pattern that looks behind', crd(ofSpec({ type: 'string', pattern: '(?<=a)b' }))],
  ['a pattern that refers back', crd(ofSpec({ type: 'string', pattern: '(a+)\\1' }))],
  [
    'a rule that is no CEL',
    crd(ofSpec({ type: 'object', 'x-kubernetes-validations': [{ rule: 'self.(' }] })),
  ],
  [
    'a rule about what is not there',
    crd(ofSpec({ type: 'object', 'x-kubernetes-validations': [{ rule: 'process.env == 1' }] })),
  ],
  [
    'a rule of a megabyte',
    crd(
      ofSpec({
        type: 'object',
        'x-kubernetes-validations': [{ rule: `${'('.repeat(100_000)}true${')'.repeat(100_000)}` }],
      }),
    ),
  ],
  ['a schema of ten thousand levels', deepDefinition()],
  ['a schema that refers', crd({ $ref: '#/definitions/x' })],
  ['items that are unique', crd(ofSpec({ type: 'array', uniqueItems: true, items: { type: 'string' } }))],
  ['another group than its name', crd(ofSpec({ type: 'string' }), { group: 'apps' })],
  ['a conversion by a server', crd(ofSpec({ type: 'string' }), { conversion: { strategy: 'Webhook' } })],
  [
    'no storage version',
    crd(
      {},
      {
        versions: [
          { name: 'v1', served: true, storage: false, schema: { openAPIV3Schema: { type: 'object' } } },
        ],
      },
    ),
  ],
  [
    'a property __proto__',
    {
      body: JSON.stringify(crd(ofSpec({ type: 'object' })).body).replace(
        '"spec":{"type"',
        '"__proto__":{"type"',
      ),
    },
  ],
].map(
  ([title, options]): Row => [`a definition with ${title as string}`, 'POST', CRDS, options as CallOptions],
);

for (const [group, rows, isAdmin] of [
  ['paths', PATHS, false],
  ['identities', [...IDENTITIES, ...PROXIED], false],
  ['rights', RIGHTS, false],
  ['objects', OBJECTS, false],
  ['bodies', BODIES, false],
  ['patches', PATCHES, false],
  ['queries', QUERIES, false],
  ['definitions', DEFINITIONS, true],
] as const) {
  test(`the embedded API server: ${group}`, async (t) => {
    const server = await open(t);
    const { store } = server.api;
    for (const [title, method, path, options = {}] of rows) {
      await t.test(title, async () => {
        const before = store.revision;
        const usedBefore = process.cpuUsage();
        const answer = await server.call(method, path, {
          ...(isAdmin ? {} : { token: server.token }),
          ...options,
        });
        const text = JSON.stringify(answer.body);
        assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status} ${text.slice(0, 300)}`);
        assert.doesNotMatch(text, new RegExp(`${MARK}|node:|\\.ts:`));
        assert.equal(store.revision, before, 'something happened');
        const { user, system } = process.cpuUsage(usedBefore);
        assert.ok((user + system) / 1000 < MOST_CPU_MS, 'it cost too much');
        assert.equal(({} as { polluted?: string }).polluted, undefined);
      });
    }
    assert.equal((await server.call('GET', `${VICTIM}/secrets/kept`)).status, 200);
  });
}

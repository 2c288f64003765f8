import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { checkStore } from '../store/testing/self-check.ts';
import {
  type Answer,
  deploymentOf,
  podOf,
  startTestServer,
  type TestServer,
  withDefaultAccount,
} from './testing/test-server.ts';

const segments = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'api',
      'apis',
      'v1',
      'apps',
      'namespaces',
      'default',
      'pods',
      'deployments',
      'configmaps',
      'a',
      'status',
      'scale',
      'log',
      'eviction',
      'token',
      'watch',
      'customresourcedefinitions',
      'apiextensions.k8s.io',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '..',
      '__proto__',
      'constructor',
      '%2e%2e',
      '%zz',
      '%00',
      '',
      'toString',
      'a%2Fb',
      'ö',
    ),
  },
);
const paths = fc.oneof(
  fc.array(segments, { maxLength: 8 }).map((parts) => `/${parts.join('/')}`),
  fc.constantFrom(
    '/api/v1/namespaces/default/configmaps',
    '/api/v1/namespaces/default/configmaps/a',
    '/api/v1/namespaces/default/pods',
    '/apis/apps/v1/namespaces/default/deployments',
    '/apis/apps/v1/namespaces/default/deployments/web',
    '/apis/apps/v1/namespaces/default/deployments/web/scale',
    '/apis/apps/v1/namespaces/default/deployments/web/status',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  ),
);
const queries = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  {
    weight: 3,
    arbitrary: fc
      .array(
        fc.tuple(
          fc.constantFrom(
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
            'includeObject',
            'timeoutSeconds',
          ),
          fc.oneof(
            fc.constantFrom(
              '0',
              '1',
              '-1',
              '999999999999999999999',
              'All',
              'true',
              'a=b',
              'metadata.name=a',
              '%',
              'Strict',
              'Exact',
              '__proto__',
            ),
            fc.string(),
          ),
        ),
        { maxLength: 4 },
      )
      .map((pairs) => `?${pairs.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&')}`),
  },
);
const leaves = fc.oneof(
  fc.constantFrom<unknown>(null, '', 'a', 0, -1, 1e308, true, [], {}),
  fc.string(),
  fc.integer(),
);
const fields = fc.constantFrom(
  'metadata',
  'name',
  'labels',
  'spec',
  'template',
  'containers',
  'replicas',
  'selector',
  'matchLabels',
  'status',
  'data',
  'finalizers',
  'ownerReferences',
  'managedFields',
  'rules',
  '$patch',
  '$retainKeys',
  '$setElementOrder/containers',
  'constructor',
  'op',
  'path',
  'kind',
  'apiVersion',
  'versions',
  'schema',
);
const { value: jsonValues } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    leaves,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fields, tie('value'), { maxKeys: 4 }),
  ),
}));
/** A good object with one part replaced by anything: gets further than noise does. */
const spoiled = fc
  .tuple(
    fc.constantFrom(podOf('a'), deploymentOf('web'), { metadata: { name: 'a' }, data: { k: 'v' } }),
    fc.array(fields, { minLength: 1, maxLength: 4 }),
    jsonValues,
  )
  .map(([object, path, value]) => {
    const copy: Record<string, unknown> = structuredClone(object);
    let at = copy;
    for (const field of path.slice(0, -1)) {
      const next = at[field];
      if (typeof next !== 'object' || next === null || Array.isArray(next)) break;
      at = next as Record<string, unknown>;
    }
    at[path.at(-1) ?? 'spec'] = value;
    return copy;
  });
const bodies = fc.oneof(
  { weight: 4, arbitrary: spoiled.map((value) => Buffer.from(JSON.stringify(value))) },
  { weight: 3, arbitrary: jsonValues.map((value) => Buffer.from(JSON.stringify(value) ?? '')) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
  {
    weight: 1,
    arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.concat([Buffer.from('k8s\0'), bytes])),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      Buffer.from('[{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]'),
      Buffer.from('{"a":'),
      Buffer.from('a: &a [*a]'),
    ),
  },
);
const types = fc.constantFrom(
  'application/json',
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'text/plain',
  'a/b;c',
);
const requests = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'FROB'),
  url: fc.tuple(paths, queries).map(([path, query]) => path + query),
  body: bodies,
  type: types,
  accept: fc.constantFrom(
    'application/json',
    '*/*',
    'text/html',
    'application/yaml',
    'application/json;as=Table;v=v1;g=meta.k8s.io',
  ),
});

/** Every answer must be no fault of the server, and have the API's form. */
function judge(request: { readonly method: string; readonly url: string }, answer: Answer): void {
  const description = `${request.method} ${request.url}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`;
  assert.ok(answer.status >= 200 && answer.status < 600, description);
  assert.notEqual(answer.body.reason, 'InternalError', description);
  if (
    answer.status >= 400 &&
    answer.headers['content-type'] === 'application/json' &&
    answer.body.paths === undefined
  ) {
    assert.equal(answer.body.kind, 'Status', description);
  }
}

describe('a hostile client', () => {
  it('gets an answer to anything, and harms neither the store nor others', async (t) => {
    const server: TestServer = await startTestServer(t);
    await withDefaultAccount(server);
    await server.call('POST', '/apis/apps/v1/namespaces/default/deployments', { body: deploymentOf('web') });
    await fc.assert(
      fc.asyncProperty(requests, async ({ method, url, body, type, accept }) => {
        const answer = await server.call(method, url, { body, type, headers: { accept } });
        judge({ method, url }, answer);
        assert.equal((await server.call('GET', '/api/v1/namespaces/default')).status, 200);
      }),
      { numRuns: 2500 },
    );
    assert.deepEqual(checkStore(server.api.store), []);
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  });
});

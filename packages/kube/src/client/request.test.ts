import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODES, PODS } from '../kinds/resources.ts';
import { WIDGETS } from '../testing/widgets.ts';
import {
  type ApiRequest,
  buildCreate,
  buildDelete,
  buildDeleteCollection,
  buildGet,
  buildList,
  buildLog,
  buildPatch,
  buildUpdate,
  buildWatch,
} from './request.ts';

const table: readonly { name: string; built: ApiRequest; line: string; body?: unknown; type?: string }[] = [
  {
    name: 'an object of the core group',
    built: buildGet(PODS, 'web', 'shop'),
    line: 'GET /api/v1/namespaces/shop/pods/web',
  },
  {
    name: 'a cluster-scoped object ignores the namespace',
    built: buildGet(NODES, 'n1', 'shop'),
    line: 'GET /api/v1/nodes/n1',
  },
  {
    name: 'names are escaped',
    built: buildGet(WIDGETS, 'a/b?c', 'shop'),
    line: 'GET /apis/example.com/v1alpha1/namespaces/shop/widgets/a%2Fb%3Fc',
  },
  {
    name: 'a list of one namespace with selectors',
    built: buildList(PODS, {
      namespace: 'shop',
      labelSelector: 'app in (a,b),x!=y',
      fieldSelector: 'status.phase=Running',
      limit: 5,
    }),
    line: 'GET /api/v1/namespaces/shop/pods?labelSelector=app%20in%20(a%2Cb)%2Cx!%3Dy&fieldSelector=status.phase%3DRunning&limit=5',
  },
  {
    name: 'a further page carries no version beside its token',
    built: buildList(PODS, { resourceVersion: '7', limit: 5 }, 'tok/en'),
    line: 'GET /api/v1/pods?limit=5&continue=tok%2Fen',
  },
  {
    name: 'a watch',
    built: buildWatch(PODS, {
      namespace: 'shop',
      resourceVersion: '0',
      allowWatchBookmarks: true,
      timeoutSeconds: 300,
    }),
    line: 'GET /api/v1/namespaces/shop/pods?watch=true&resourceVersion=0&allowWatchBookmarks=true&timeoutSeconds=300',
  },
  {
    name: 'create fills in apiVersion and kind and takes the namespace of the object',
    built: buildCreate(WIDGETS, { metadata: { generateName: 'e-', namespace: 'shop' } }, { dryRun: true }),
    line: 'POST /apis/example.com/v1alpha1/namespaces/shop/widgets?dryRun=All',
    body: {
      apiVersion: 'example.com/v1alpha1',
      kind: 'Widget',
      metadata: { generateName: 'e-', namespace: 'shop' },
    },
    type: 'application/json',
  },
  {
    name: 'create of a sub-resource leaves the kind alone',
    built: buildCreate(
      PODS,
      { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web' } },
      { namespace: 'shop', subresource: 'eviction' },
    ),
    line: 'POST /api/v1/namespaces/shop/pods/web/eviction',
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web' } },
    type: 'application/json',
  },
  {
    name: 'update of a status',
    built: buildUpdate(
      PODS,
      { metadata: { name: 'web', namespace: 'shop', resourceVersion: '3' } },
      { subresource: 'status', fieldManager: 'me', fieldValidation: 'Strict' },
    ),
    line: 'PUT /api/v1/namespaces/shop/pods/web/status?fieldManager=me&fieldValidation=Strict',
    body: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'shop', resourceVersion: '3' },
    },
    type: 'application/json',
  },
  {
    name: 'a merge patch',
    built: buildPatch(PODS, 'web', 'merge', { a: null }, { namespace: 'shop', force: true }),
    line: 'PATCH /api/v1/namespaces/shop/pods/web',
    body: { a: null },
    type: 'application/merge-patch+json',
  },
  {
    name: 'server-side apply always names a manager',
    built: buildPatch(PODS, 'web', 'apply', { a: 1 }, { namespace: 'shop', force: true }),
    line: 'PATCH /api/v1/namespaces/shop/pods/web?fieldManager=turnsole&force=true',
    body: { a: 1 },
    type: 'application/apply-patch+yaml',
  },
  {
    name: 'delete with all options; a grace period of 0 is one',
    built: buildDelete(PODS, 'web', {
      namespace: 'shop',
      gracePeriodSeconds: 0,
      propagationPolicy: 'Foreground',
      preconditions: { uid: 'u' },
      dryRun: true,
    }),
    line: 'DELETE /api/v1/namespaces/shop/pods/web',
    body: {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds: 0,
      propagationPolicy: 'Foreground',
      preconditions: { uid: 'u' },
      dryRun: ['All'],
    },
    type: 'application/json',
  },
  {
    name: 'delete of a collection',
    built: buildDeleteCollection(PODS, { namespace: 'shop', labelSelector: 'owner=u' }),
    line: 'DELETE /api/v1/namespaces/shop/pods?labelSelector=owner%3Du',
    body: { apiVersion: 'v1', kind: 'DeleteOptions' },
    type: 'application/json',
  },
  {
    name: 'a log',
    built: buildLog('web', {
      namespace: 'shop',
      container: 'c',
      follow: true,
      tailLines: 3,
      previous: false,
    }),
    line: 'GET /api/v1/namespaces/shop/pods/web/log?container=c&follow=true&tailLines=3',
  },
];

for (const { name, built, line, body, type } of table) {
  test(`builds ${name}`, () => {
    assert.equal(`${built.method} ${built.path}`, line);
    assert.deepEqual(built.body === undefined ? undefined : JSON.parse(built.body), body);
    assert.equal(built.contentType, type);
  });
}

const refusals: readonly { name: string; build: () => ApiRequest; message: string }[] = [
  {
    name: 'an empty name, which would address the collection',
    build: () => buildDelete(PODS, '', { namespace: 'shop' }),
    message: 'cannot address Pod: its name is ""; give a name of at least one letter',
  },
  {
    name: 'a name that moves up in the path',
    build: () => buildGet(PODS, '..', 'shop'),
    message: 'cannot address Pod: its name is ".."; give a name of at least one letter',
  },
  {
    name: 'a namespaced object without namespace',
    build: () => buildGet(PODS, 'web'),
    message:
      'cannot address Pod web: the kind is namespaced and no namespace was given; set options.namespace',
  },
  {
    name: 'emptying all namespaces at once',
    build: () => buildDeleteCollection(PODS, {}),
    message:
      'cannot address Pod (collection): the kind is namespaced and no namespace was given; set options.namespace',
  },
];

for (const { name, build, message } of refusals) {
  test(`refuses ${name}`, () => {
    assert.throws(build, { name: 'TypeError', message });
  });
}

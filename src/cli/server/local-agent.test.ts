import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceOfHost } from './local-agent.ts';

const HOSTS: readonly (readonly [host: string, service: string | undefined])[] = [
  ['web.shop', 'shop/web'],
  ['web.shop.svc', 'shop/web'],
  ['web.shop.svc.cluster.local', 'shop/web'],
  ['web.shop.svc.cluster.local.', 'shop/web'],
  ['web', undefined],
  ['web.shop.example', undefined],
  ['web-0.web.shop.svc.cluster.local', undefined],
  ['localhost', undefined],
  ['', undefined],
];

for (const [host, service] of HOSTS) {
  test(`${host || 'no host'} means ${service === undefined ? 'no service' : `service ${service}`}`, () => {
    const found = serviceOfHost(host);
    assert.equal(found && `${found.namespace}/${found.name}`, service);
  });
}

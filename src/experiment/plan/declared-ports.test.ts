import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod, Service } from '@turnsole/kube/kinds/core';
import { undeclaredPorts } from '../../faults/network/declared-ports.ts';
import { pod } from '../injection/testing/builders.ts';
import { declaredPorts } from './declared-ports.ts';

const service = (selector: Record<string, string>, ports: object[], namespace = 'shop'): Service =>
  ({ metadata: { name: 's', namespace }, spec: { selector, ports } }) as unknown as Service;
const web = pod('web', { labels: { app: 'web', tier: 'front' } });
const withPorts = (...ports: object[]): Pod =>
  ({ ...web, spec: { containers: [{ name: 'app', ports }] } }) as unknown as Pod;

test('ports that containers and services declare', () => {
  const rows: [string, Pod, Service[], number[]][] = [
    ['none', web, [], []],
    [
      'of containers',
      withPorts({ containerPort: 9000, name: 'http' }, { containerPort: 8000 }),
      [],
      [8000, 9000],
    ],
    ['not of UDP', withPorts({ containerPort: 53, protocol: 'UDP' }), [], []],
    ['of a service, its own where it names none', web, [service({ app: 'web' }, [{ port: 80 }])], [80]],
    ['of a service, behind it', web, [service({ app: 'web' }, [{ port: 80, targetPort: 8000 }])], [8000]],
    [
      'by name',
      withPorts({ containerPort: 9000, name: 'http' }),
      [service({ app: 'web' }, [{ port: 80, targetPort: 'http' }])],
      [9000],
    ],
    ['not of a service of others', web, [service({ app: 'web', tier: 'back' }, [{ port: 80 }])], []],
    ['not of a service without selector', web, [service({}, [{ port: 80 }])], []],
    ['not of a service elsewhere', web, [service({ app: 'web' }, [{ port: 80 }], 'other')], []],
  ];
  for (const [name, one, services, ports] of rows) {
    assert.deepEqual(declaredPorts(one, services), { pod: 'shop/web', ports }, name);
  }
});

test('a port that no pod and no service declares', () => {
  const declared = [
    { pod: 'shop/a', ports: [8000] },
    { pod: 'shop/b', ports: [8000, 9000] },
    { pod: 'shop/c', ports: [] },
  ];
  const rows: [number, RegExp | undefined][] = [
    [8000, undefined],
    [
      9000,
      /^TARGET_SERVICE_PORT is 9000, but pod shop\/a declares 8000 and no pod or service declares that port/,
    ],
    [9999, /^TARGET_SERVICE_PORT is 9999, but pod shop\/a \(2 such pods\) declares 8000/],
  ];
  for (const [port, expected] of rows) {
    const found = undeclaredPorts('TARGET_SERVICE_PORT', [port], declared);
    if (expected === undefined) assert.deepEqual(found, []);
    else assert.match(found[0] ?? '', expected);
  }
  assert.deepEqual(undeclaredPorts('TARGET_SERVICE_PORT', [80], [{ pod: 'shop/c', ports: [] }]), []);
});

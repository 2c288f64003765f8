import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Service } from '@turnsole/kube/kinds/core';
import type { Answer } from 'dns-packet';
import fc from 'fast-check';
import type { ServiceEndpoint } from '../network/backends.ts';
import type { NamedService } from '../network/name-table.ts';
import { resolve } from './resolve.ts';
import { buildZone } from './zone.ts';

type Spec = Service['spec'];

function named(name: string, spec: Spec, endpoints: readonly Partial<ServiceEndpoint>[] = []): NamedService {
  const service: Service = { metadata: { name, namespace: 'shop' }, spec };
  const whole = endpoints.map((endpoint) => ({
    ip: '10.1.0.1',
    ready: true,
    draining: false,
    ports: new Map([['http', 8080]]),
    ...endpoint,
  }));
  return { service, endpoints: whole };
}

const ports = [{ name: 'http', port: 80 }];
const zone = buildZone(
  [
    named('web', { clusterIP: '10.0.0.9', ports: [...ports, { name: 'dns', port: 53, protocol: 'UDP' }] }, [
      { ip: '10.1.0.7' },
    ]),
    named('plain', { clusterIP: '10.0.0.10', ports: [{ port: 1 }] }),
    named('dual', { clusterIP: '10.0.0.11', clusterIPs: ['10.0.0.11', 'fd00::b'] }),
    named('db', { clusterIP: 'None', ports }, [
      { ip: '10.1.0.1', hostname: 'db-0' },
      { ip: '10.1.0.2', hostname: 'db-1' },
      { ip: '10.1.0.3', ready: false },
    ]),
    named('peers', { clusterIP: 'None', publishNotReadyAddresses: true }, [{ ip: '10.1.0.4', ready: false }]),
    named('nobody', { clusterIP: 'None', ports }),
    named('out', { type: 'ExternalName', externalName: 'example.com.' }),
    named('in', { type: 'ExternalName', externalName: 'WEB.shop.svc.cluster.local' }),
    named('astray', { type: 'ExternalName', externalName: 'none.shop.svc.cluster.local' }),
    named('circle', { type: 'ExternalName', externalName: 'circle.shop.svc.cluster.local' }),
    named('number', { type: 'ExternalName', externalName: '10.9.9.9' }),
  ],
  'cluster.local',
);

function show(record: Answer): string {
  const data = 'data' in record ? record.data : '';
  if (record.type === 'SRV') return `SRV ${record.data.weight} ${record.data.port} ${record.data.target}`;
  return `${record.type} ${String(record.type === 'SOA' ? '' : data)}`.trim();
}

/** What the zone says to `type name`; names without a dot at the end are in `cluster.local`. */
function ask(question: string): string | string[] {
  const [type = '', name = ''] = question.split(' ');
  const full = name.endsWith('.') ? name.slice(0, -1) : `${name}.cluster.local`;
  const resolution = resolve(zone, { name: full, type });
  switch (resolution.kind) {
    case 'answer':
      return [...resolution.answers, ...resolution.additionals].map(show);
    case 'alias':
      return [...resolution.answers.map(show), `-> ${resolution.target}`];
    default:
      return resolution.kind;
  }
}

const web = 'web.shop.svc.cluster.local';
const table: [question: string, answer: string | string[]][] = [
  // Services with a cluster IP.
  ['A web.shop.svc', ['A 10.0.0.9']],
  ['A WEB.Shop.SVC', ['A 10.0.0.9']],
  ['AAAA web.shop.svc', 'empty'],
  ['MX web.shop.svc', 'empty'],
  ['ANY web.shop.svc', ['A 10.0.0.9']],
  ['A dual.shop.svc', ['A 10.0.0.11']],
  ['AAAA dual.shop.svc', ['AAAA fd00::b']],
  ['SRV _http._tcp.web.shop.svc', [`SRV 100 80 ${web}`, 'A 10.0.0.9']],
  ['SRV _dns._udp.web.shop.svc', [`SRV 100 53 ${web}`, 'A 10.0.0.9']],
  ['SRV _dns._tcp.web.shop.svc', 'unknown'],
  ['SRV web.shop.svc', [`SRV 50 80 ${web}`, `SRV 50 53 ${web}`, 'A 10.0.0.9']],
  ['SRV plain.shop.svc', ['SRV 100 1 plain.shop.svc.cluster.local', 'A 10.0.0.10']],
  ['A 10-1-0-7.web.shop.svc', ['A 10.1.0.7']],
  // Headless services.
  ['A db.shop.svc', ['A 10.1.0.1', 'A 10.1.0.2']],
  ['A db-1.db.shop.svc', ['A 10.1.0.2']],
  ['A db-2.db.shop.svc', 'unknown'],
  [
    'SRV _http._tcp.db.shop.svc',
    [
      'SRV 50 8080 db-0.db.shop.svc.cluster.local',
      'SRV 50 8080 db-1.db.shop.svc.cluster.local',
      'A 10.1.0.1',
      'A 10.1.0.2',
    ],
  ],
  ['A peers.shop.svc', ['A 10.1.0.4']],
  ['A 10-1-0-4.peers.shop.svc', ['A 10.1.0.4']],
  ['A nobody.shop.svc', 'unknown'],
  // External names.
  ['A out.shop.svc', ['CNAME example.com', '-> example.com']],
  ['CNAME out.shop.svc', ['CNAME example.com']],
  ['A in.shop.svc', ['CNAME WEB.shop.svc.cluster.local', 'A 10.0.0.9']],
  ['AAAA in.shop.svc', ['CNAME WEB.shop.svc.cluster.local']],
  ['A astray.shop.svc', ['CNAME none.shop.svc.cluster.local']],
  ['A circle.shop.svc', Array.from({ length: 9 }, () => 'CNAME circle.shop.svc.cluster.local')],
  ['A number.shop.svc', 'unknown'],
  // Pods.
  ['A 10-1-2-3.shop.pod', ['A 10.1.2.3']],
  ['AAAA 10-1-2-3.shop.pod', 'empty'],
  ['AAAA fd00--7.shop.pod', ['AAAA fd00::7']],
  ['A 10-1-2.shop.pod', 'unknown'],
  ['A x.10-1-2-3.shop.pod', 'unknown'],
  // Around them.
  ['A none.shop.svc', 'unknown'],
  ['A web.other.svc', 'unknown'],
  ['A web', 'unknown'],
  ['A shop.svc', 'empty'],
  ['A svc', 'empty'],
  ['A pod', 'empty'],
  ['A example.com', 'unknown'],
  ['TXT dns-version', ['TXT 1.1.0']],
  ['A dns-version', 'empty'],
  ['SOA cluster.local.', ['SOA']],
  ['NS cluster.local.', ['NS ns.dns.cluster.local']],
  ['A cluster.local.', 'empty'],
  ['A notcluster.local.', 'forward'],
  ['A example.com.', 'forward'],
  ['A .', 'forward'],
  // Addresses.
  ['PTR 9.0.0.10.in-addr.arpa.', [`PTR ${web}`]],
  ['PTR 1.0.1.10.in-addr.arpa.', ['PTR db-0.db.shop.svc.cluster.local']],
  ['PTR 7.0.1.10.in-addr.arpa.', ['PTR 10-1-0-7.web.shop.svc.cluster.local']],
  ['A 9.0.0.10.in-addr.arpa.', 'empty'],
  ['PTR 99.0.0.10.in-addr.arpa.', 'forward'],
  ['PTR 0.0.10.in-addr.arpa.', 'forward'],
  [`PTR b.${'0.'.repeat(27)}0.0.d.f.ip6.arpa.`, ['PTR dual.shop.svc.cluster.local']],
  ['PTR z.ip6.arpa.', 'forward'],
];

for (const [question, answer] of table) {
  test(`zone: ${question}`, () => assert.deepEqual(ask(question), answer));
}

test('no question makes the zone throw, and none of its names is asked of others', () => {
  const label = fc.oneof(
    fc.constantFrom('web', 'shop', 'svc', 'pod', '_http', '_tcp', '10-1-2-3'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(label, { maxLength: 6 }), fc.constantFrom('A', 'SRV', 'PTR'), (labels, type) => {
      const name = [...labels, 'cluster', 'local'].join('.');
      assert.notEqual(resolve(zone, { name, type }).kind, 'forward');
    }),
  );
});

import type { PodSpec, Service } from '@turnsole/kube/kinds/core';
import { SERVICES } from '@turnsole/kube/kinds/resources';
import { clusterSettings } from '../../cluster/support/settings.ts';
import type { FaultCluster } from './fault-cluster.ts';

/** A DNS server for the names in the variable ZONE, over UDP and TCP: A records, and that there is no such name. */
const SERVER = `
const zone = JSON.parse(process.env.ZONE);
const answer = (query) => {
  const labels = [];
  let at = 12;
  for (; query[at] > 0; at += query[at] + 1) labels.push(query.toString('latin1', at + 1, at + 1 + query[at]));
  const address = zone[labels.join('.').toLowerCase()];
  const hasAnswer = address !== undefined && query.readUInt16BE(at + 1) === 1;
  const head = Buffer.from(query.subarray(0, at + 5));
  head.writeUInt16BE(address === undefined ? 0x8583 : 0x8580, 2);
  [1, hasAnswer ? 1 : 0, 0, 0].forEach((count, index) => head.writeUInt16BE(count, 4 + 2 * index));
  const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 30, 0, 4, ...(address ?? '').split('.').map(Number)];
  return hasAnswer ? Buffer.concat([head, Buffer.from(record)]) : head;
};
const udp = require('dgram').createSocket('udp4');
udp.on('message', (query, { port, address }) => udp.send(answer(query), port, address));
udp.bind(53);
require('net').createServer((socket) => {
  let all = Buffer.alloc(0);
  socket.on('error', () => {}).on('data', (chunk) => {
    all = Buffer.concat([all, chunk]);
    if (all.length < 2 || all.length < 2 + all.readUInt16BE(0)) return;
    const reply = answer(all.subarray(2, 2 + all.readUInt16BE(0)));
    socket.end(Buffer.concat([Buffer.from([reply.length >> 8, reply.length & 255]), reply]));
  });
}).listen(53);
`;

/** What a pod has to say so that names are known in it as in any cluster: nothing, or where there is no DNS, a server of its own. */
export async function namesFor(cluster: FaultCluster, namespace: string): Promise<Partial<PodSpec>> {
  // The embedded cluster has names without a server that could be seen.
  if (clusterSettings() === undefined) return {};
  const dns = await cluster.client.find<Service>(SERVICES, 'kube-dns', { namespace: 'kube-system' });
  if (dns !== undefined) return {};
  const domain = 'svc.cluster.local';
  const { items } = await cluster.client.list<Service>(SERVICES);
  const zone = Object.fromEntries(
    items.map(({ metadata, spec }) => [
      `${metadata.name}.${metadata.namespace}.${domain}`,
      spec?.clusterIP ?? '',
    ]),
  );
  const server = await cluster.pod(namespace, 'names', {
    command: ['node', '-e', SERVER],
    env: [{ name: 'ZONE', value: JSON.stringify(zone) }],
    readinessProbe: { tcpSocket: { port: 53 }, periodSeconds: 1 },
  });
  return {
    dnsPolicy: 'None',
    dnsConfig: {
      nameservers: [server.status?.podIP ?? ''],
      searches: [`${namespace}.${domain}`, domain, 'cluster.local'],
      options: [{ name: 'ndots', value: '5' }],
    },
  };
}

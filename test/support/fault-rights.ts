/**
 * What faults take of the machine of an embedded cluster, and which machines refuse them. Written down apart from what the faults
 * say of themselves, so that a developer who adds a fault has to think of machines that do not have everything.
 */
import { CAPABILITY_BITS, type Capability } from '@turnsole/kube/text/capabilities';
import { type MachineLacks } from '../../src/chaos/machine-lacks.ts';
import { LACKS_NOTHING } from '../../src/chaos/testing/lacks-nothing.ts';

/** Kinds of faults by what they need. */
export type Takes =
  | 'nothing'
  | 'processes'
  | 'load'
  | 'fill'
  | 'packets'
  | 'policies'
  | 'redirects'
  | 'names'
  | 'fio';

/** Every fault. */
export const TAKES: Readonly<Record<string, Takes>> = {
  'pod-delete': 'nothing',
  'pod-autoscaler': 'nothing',
  // Helper and target are processes of the same user.
  'container-kill': 'processes',
  'pod-cpu-hog': 'load',
  'pod-memory-hog': 'load',
  'disk-fill': 'fill',
  'pod-io-stress': 'load',
  // These load from their own pod, by the built-in loader where stress-ng is missing.
  'node-cpu-hog': 'nothing',
  'node-memory-hog': 'nothing',
  'node-io-stress': 'nothing',
  'node-drain': 'nothing',
  'node-taint': 'nothing',
  // Embedded nodes are stopped by their machine, which is the cluster's process.
  'node-restart': 'nothing',
  'kubelet-service-kill': 'nothing',
  'docker-service-kill': 'nothing',
  'pod-cpu-hog-exec': 'nothing',
  'pod-memory-hog-exec': 'nothing',
  'pod-fio-stress': 'fio',
  'pod-network-latency': 'packets',
  'pod-network-loss': 'packets',
  'pod-network-corruption': 'packets',
  'pod-network-duplication': 'packets',
  // The cluster does it, for any writer of a policy.
  'pod-network-partition': 'policies',
  'pod-network-rate-limit': 'packets',
  'pod-http-latency': 'redirects',
  'pod-http-status-code': 'redirects',
  'pod-http-modify-header': 'redirects',
  'pod-http-modify-body': 'redirects',
  'pod-http-reset-peer': 'redirects',
  'pod-dns-error': 'names',
  'pod-dns-spoof': 'names',
  'kafka-broker-pod-failure': 'nothing',
  'cassandra-pod-delete': 'nothing',
  'k6-loadgen': 'nothing',
  'redfish-node-restart': 'nothing',
  // Another API does it.
  'aws-az-chaos': 'nothing',
  'aws-ssm-chaos-by-id': 'nothing',
  'aws-ssm-chaos-by-tag': 'nothing',
  'ebs-loss-by-id': 'nothing',
  'ebs-loss-by-tag': 'nothing',
  'ec2-stop-by-id': 'nothing',
  'ec2-stop-by-tag': 'nothing',
  'ec2-terminate-by-id': 'nothing',
  'ec2-terminate-by-tag': 'nothing',
  'rds-instance-stop': 'nothing',
  'azure-disk-loss': 'nothing',
  'azure-instance-stop': 'nothing',
  'gcp-vm-disk-loss': 'nothing',
  'gcp-vm-disk-loss-by-label': 'nothing',
  'gcp-vm-instance-stop': 'nothing',
  'gcp-vm-instance-stop-by-label': 'nothing',
  'vm-poweroff': 'nothing',
  'spring-boot-app-kill': 'nothing',
  'spring-boot-cpu-stress': 'nothing',
  'spring-boot-memory-stress': 'nothing',
  'spring-boot-latency': 'nothing',
  'spring-boot-exceptions': 'nothing',
  'spring-boot-faults': 'nothing',
};

/** A machine, and what it says to the kinds of faults that it cannot inject: all of these words. */
export interface LesserMachine {
  readonly name: string;
  readonly lacks: MachineLacks;
  readonly refuses: Readonly<Partial<Record<Takes, readonly string[]>>>;
}

const NOT_ISOLATED = 'it was not asked for (--isolation none)';
const NETWORK = ['CAP_NET_ADMIN', 'CAP_SYS_ADMIN', 'CAP_SYS_PTRACE', NOT_ISOLATED];

/** A user who is not root, and whose pods are not isolated. */
export const UNPRIVILEGED: LesserMachine = {
  name: 'an unprivileged user',
  // The table has these names and no others.
  lacks: {
    ...LACKS_NOTHING,
    capabilities: Object.keys(CAPABILITY_BITS) as Capability[],
    isolation: NOT_ISOLATED,
  },
  refuses: {
    load: ['CAP_SYS_ADMIN', 'CAP_SYS_PTRACE', 'CAP_KILL', NOT_ISOLATED],
    fill: ['CAP_SYS_PTRACE', 'CAP_DAC_OVERRIDE', NOT_ISOLATED],
    packets: NETWORK,
    policies: [NOT_ISOLATED],
    redirects: NETWORK,
    names: [...NETWORK, 'CAP_SETGID'],
  },
};

/** Another system, as root. */
export const MACOS: LesserMachine = {
  name: 'macOS',
  lacks: { ...UNPRIVILEGED.lacks, isolation: 'namespaces are a thing of Linux', linux: 'darwin' },
  refuses: {
    processes: ['it takes Linux', 'darwin'],
    load: ['CAP_SYS_ADMIN', 'a thing of Linux'],
    fill: ['CAP_SYS_PTRACE', 'a thing of Linux'],
    packets: ['CAP_NET_ADMIN', 'a thing of Linux'],
    policies: ['a thing of Linux'],
    redirects: ['CAP_NET_ADMIN', 'a thing of Linux'],
    names: ['CAP_NET_ADMIN', 'a thing of Linux'],
  },
};

/** Root, as in a container that was not given everything. Pods are not isolated without these capabilities. */
export const CURBED_ROOTS = (['NET_ADMIN', 'SYS_ADMIN', 'SETGID'] as const).map((name): LesserMachine => {
  const isolation = `the cluster lacks CAP_${name}`;
  const said = [isolation];
  return {
    name: `root without CAP_${name}`,
    lacks: { ...LACKS_NOTHING, capabilities: [name], isolation },
    refuses: { load: said, fill: said, packets: said, policies: said, redirects: said, names: said },
  };
});

const withoutTool = (
  tool: MachineLacks['tools'][number],
  words: string,
  ...kinds: readonly Takes[]
): LesserMachine => ({
  name: `root without ${tool}`,
  lacks: { ...LACKS_NOTHING, tools: [tool] },
  refuses: Object.fromEntries(kinds.map((kind) => [kind, ['not found in PATH', words]])),
});

/** Root without a program. The built-in loader replaces stress-ng, and a queue may replace nft. */
export const BARE_MACHINES: readonly LesserMachine[] = [
  withoutTool('tc', 'tc (package iproute2)', 'packets'),
  withoutTool('nft', 'nft (package nftables)', 'policies', 'redirects', 'names'),
  withoutTool('nsenter', 'nsenter (package util-linux)', 'load', 'packets', 'redirects', 'names'),
  withoutTool('unshare', 'unshare (package util-linux)', 'load', 'packets', 'redirects', 'names'),
  withoutTool('du', 'du (package coreutils)', 'fill'),
  withoutTool('fio', 'fio (package fio)', 'fio'),
  withoutTool('stress-ng', ''),
  withoutTool('setpriv', ''),
];

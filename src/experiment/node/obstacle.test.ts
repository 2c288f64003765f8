import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MachineLacks } from '../../chaos/machine-lacks.ts';
import { LACKS_NOTHING } from '../../chaos/testing/lacks-nothing.ts';
import type { FaultNeeds } from '../injection/fault.ts';
import { obstacleTo } from './obstacle.ts';

const NEEDS: FaultNeeds = {
  capabilities: ['NET_ADMIN', 'SYS_ADMIN', 'KILL'],
  tools: ['tc', 'nft'],
  targetTools: ['fio'],
  isolatedPods: true,
};
const ROOT =
  'start turnsole as root on Linux or as a user who may make namespaces (turnsole doctor says what keeps this one from it), with --isolation full; in a container, one that is privileged';

const TABLE: readonly {
  readonly name: string;
  readonly lacks: Partial<MachineLacks>;
  readonly needs?: FaultNeeds;
  readonly helper?: string;
  readonly embedded?: string;
}[] = [
  { name: 'nothing is missing', lacks: {} },
  { name: 'what is missing is not needed', lacks: { capabilities: ['SYS_TIME'], tools: ['ssh'] } },
  {
    name: 'one capability',
    lacks: { capabilities: ['NET_ADMIN'] },
    helper:
      'this process lacks CAP_NET_ADMIN; a helper gets capabilities by its security context, which the admission policy of ' +
      'its namespace has to allow; on the embedded cluster, start turnsole as root',
    embedded: `this process lacks CAP_NET_ADMIN; ${ROOT}`,
  },
  {
    name: 'capabilities that take further ids',
    lacks: { capabilities: ['SETGID', 'SETUID'] },
    needs: { capabilities: ['NET_ADMIN', 'SETGID'] },
    helper:
      'this process lacks CAP_SETGID; a helper gets capabilities by its security context, which the admission policy of its namespace ' +
      'has to allow; on the embedded cluster, start turnsole as root',
    embedded:
      'this process lacks CAP_SETGID; start turnsole as root on Linux, or give this user further ids: install newuidmap (package uidmap), ' +
      'and run usermod --add-subuids 100000-165535 --add-subgids 100000-165535 USER as root',
  },
  {
    name: 'isolation, which no helper can judge',
    lacks: { isolation: 'the cluster lacks CAP_MKNOD' },
    embedded: `pods share networks, processes and files here (the cluster lacks CAP_MKNOD); ${ROOT}`,
  },
  {
    name: 'a program of the target, which is in another image elsewhere',
    lacks: { tools: ['fio'] },
    embedded:
      'not found in PATH, which containers of the embedded cluster share: fio (package fio); install it on this machine',
  },
  {
    name: 'everything, told at once',
    lacks: { capabilities: ['KILL', 'NET_ADMIN', 'SYS_ADMIN'], tools: ['nft', 'tc'], isolation: 'no root' },
    helper:
      'this process lacks CAP_NET_ADMIN, CAP_SYS_ADMIN and CAP_KILL; not found in PATH: tc (package iproute2), ' +
      'nft (package nftables); install it in the image of the helper, or on this machine for the embedded cluster; ' +
      'a helper gets capabilities by its security context, which the admission policy of its namespace has to allow; ' +
      'on the embedded cluster, start turnsole as root',
    embedded:
      'this process lacks CAP_NET_ADMIN, CAP_SYS_ADMIN and CAP_KILL; pods share networks, processes and files here (no root); ' +
      `not found in PATH: tc (package iproute2), nft (package nftables); install it on this machine; ${ROOT}`,
  },
];

for (const { name, lacks, needs = NEEDS, ...said } of TABLE) {
  test(`what keeps a machine from a fault: ${name}`, () => {
    for (const injector of ['helper', 'embedded'] as const) {
      const words = said[injector];
      const expected = words === undefined ? undefined : `cannot inject pod-x: ${words}`;
      // A helper does not look at isolation.
      const seen = injector === 'helper' ? { ...lacks, isolation: undefined } : lacks;
      const { isolation, ...rest } = { ...LACKS_NOTHING, ...seen };
      const machine = isolation === undefined ? rest : { ...rest, isolation };
      assert.equal(obstacleTo({ name: 'pod-x', needs }, machine, injector), expected);
    }
  });
}

test('a fault that needs nothing works everywhere', () => {
  const lacks: MachineLacks = { capabilities: ['KILL'], tools: ['tc'], isolation: 'no root' };
  assert.equal(obstacleTo({ name: 'pod-x' }, lacks, 'embedded'), undefined);
});

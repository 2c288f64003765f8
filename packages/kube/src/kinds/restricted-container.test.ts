import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodSecurityContext, SecurityContext } from './core.ts';
import { RESTRICTED_CONTAINER, restrictedContainer } from './restricted-container.ts';

const { runAsNonRoot: _, ...AS_ANY_USER } = RESTRICTED_CONTAINER;
const { seccompProfile: _s, ...OF_NO_PROFILE } = RESTRICTED_CONTAINER;
const { allowPrivilegeEscalation: _a, ...ESCALATING } = RESTRICTED_CONTAINER;

const CASES: readonly [
  string,
  SecurityContext | undefined,
  PodSecurityContext | undefined,
  SecurityContext,
][] = [
  ['nothing is written', undefined, undefined, RESTRICTED_CONTAINER],
  ['an empty context', {}, {}, RESTRICTED_CONTAINER],
  ['another user', { runAsUser: 2000 }, undefined, { ...RESTRICTED_CONTAINER, runAsUser: 2000 }],
  ['the user root', { runAsUser: 0 }, undefined, { ...AS_ANY_USER, runAsUser: 0 }],
  ['the user root, of the pod', undefined, { runAsUser: 0 }, AS_ANY_USER],
  [
    'another user than the pod, which has root',
    { runAsUser: 2000 },
    { runAsUser: 0 },
    { ...RESTRICTED_CONTAINER, runAsUser: 2000 },
  ],
  ['the pod says whether root', undefined, { runAsNonRoot: false }, AS_ANY_USER],
  [
    'the pod has a profile',
    undefined,
    { seccompProfile: { type: 'Localhost', localhostProfile: 'own.json' } },
    OF_NO_PROFILE,
  ],
  [
    'capabilities',
    { capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] } },
    undefined,
    { ...RESTRICTED_CONTAINER, capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] } },
  ],
  [
    'a capability that is nearly all of root, with which no escalation is a contradiction',
    { capabilities: { add: ['SYS_ADMIN'] } },
    undefined,
    { ...ESCALATING, capabilities: { add: ['SYS_ADMIN'] } },
  ],
  ['privileged', { privileged: true }, undefined, { privileged: true }],
];

for (const [name, written, ofPod, expected] of CASES) {
  test(`restricted container: ${name}`, () => {
    assert.deepEqual(restrictedContainer(written, ofPod), expected);
  });
}

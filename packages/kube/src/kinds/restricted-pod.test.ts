import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RESTRICTED_CONTAINER } from './restricted-container.ts';
import { isOfPodSecurity, restrictedPod } from './restricted-pod.ts';

test('restricted pod: every container, as a user that is not root unless one is named', () => {
  const spec = {
    hostNetwork: true,
    initContainers: [{ name: 'a' }],
    containers: [
      { name: 'b', securityContext: { runAsUser: 1000 } },
      { name: 'c', securityContext: { privileged: true } },
    ],
  };
  assert.deepEqual(restrictedPod(spec), {
    hostNetwork: true,
    initContainers: [{ name: 'a', securityContext: { ...RESTRICTED_CONTAINER, runAsUser: 65_532 } }],
    containers: [
      { name: 'b', securityContext: { ...RESTRICTED_CONTAINER, runAsUser: 1000 } },
      { name: 'c', securityContext: { privileged: true } },
    ],
  });
});

test('restricted pod: the user of the pod counts for its containers', () => {
  const spec = { securityContext: { runAsUser: 1000, runAsNonRoot: true }, containers: [{ name: 'b' }] };
  const { runAsNonRoot: _, ...rest } = RESTRICTED_CONTAINER;
  assert.deepEqual(restrictedPod(spec).containers, [{ name: 'b', securityContext: rest }]);
});

test('refusals of Pod Security are told from those of quotas and rights', () => {
  const refused =
    'pods "a" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false';
  assert.ok(isOfPodSecurity(refused));
  assert.ok(!isOfPodSecurity('pods "a" is forbidden: exceeded quota: q, requested: pods=1'));
  assert.ok(!isOfPodSecurity('pods is forbidden: User "a" cannot create resource "pods"'));
});

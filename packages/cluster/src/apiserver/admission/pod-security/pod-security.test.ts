/** Pod Security; the words are those of kube-apiserver 1.36.3. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../../object.ts';
import { startTestServer, type TestServer, withDefaultAccount } from '../../testing/test-server.ts';

const ESCALATES = (who: string): string =>
  `allowPrivilegeEscalation != false (${who} must set securityContext.allowPrivilegeEscalation=false)`;
const KEEPS = (who: string): string => `${who} must set securityContext.capabilities.drop=["ALL"]`;
const NO_PROFILE = (who: string): string =>
  `seccompProfile (pod or ${who} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")`;
const A = 'container "a"';
const AB = 'containers "a", "b"';
const a: Json = { name: 'a', image: 'x' };
const b: Json = { name: 'b', image: 'x' };

/** Specification, what restricted says, what baseline says; empty where it takes the pod. */
const CASES: readonly [string, Json, string, string][] = [
  [
    'nothing is said',
    { containers: [a] },
    `${ESCALATES(A)}, unrestricted capabilities (${KEEPS(A)}), runAsNonRoot != true (pod or ${A} must set securityContext.runAsNonRoot=true), ${NO_PROFILE(A)}`,
    '',
  ],
  [
    'namespaces and volumes of the host',
    {
      containers: [a, b],
      hostPID: true,
      hostNetwork: true,
      volumes: [
        { name: 'h', hostPath: { path: '/' } },
        { name: 'n', nfs: { server: 'a', path: '/' } },
      ],
    },
    `host namespaces (hostNetwork=true, hostPID=true), ${ESCALATES(AB)}, unrestricted capabilities (${KEEPS(AB)}), restricted volume types (volumes "h", "n" use restricted volume types "hostPath", "nfs"), runAsNonRoot != true (pod or ${AB} must set securityContext.runAsNonRoot=true), ${NO_PROFILE(AB)}`,
    'host namespaces (hostNetwork=true, hostPID=true), hostPath volumes (volume "h")',
  ],
  [
    'privileged, capabilities, root',
    {
      securityContext: { runAsUser: 0, runAsNonRoot: false, seccompProfile: { type: 'Unconfined' } },
      containers: [
        {
          ...a,
          securityContext: {
            privileged: true,
            runAsUser: 0,
            capabilities: { add: ['SYS_ADMIN', 'NET_ADMIN'] },
          },
          ports: [{ containerPort: 80, hostPort: 80 }],
        },
      ],
    },
    `hostPort (${A} uses hostPort 80), privileged (${A} must not set securityContext.privileged=true), ${ESCALATES(A)}, unrestricted capabilities (${KEEPS(A)}; ${A} must not include "NET_ADMIN", "SYS_ADMIN" in securityContext.capabilities.add), runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false), runAsUser=0 (pod and ${A} must not set runAsUser=0), seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")`,
    `non-default capabilities (${A} must not include "NET_ADMIN", "SYS_ADMIN" in securityContext.capabilities.add), hostPort (${A} uses hostPort 80), privileged (${A} must not set securityContext.privileged=true), seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")`,
  ],
  [
    'profiles, labels and parameters of the kernel',
    {
      securityContext: {
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
        sysctls: [
          { name: 'kernel.msgmax', value: '1' },
          { name: 'kernel.sem', value: '1' },
        ],
        appArmorProfile: { type: 'Unconfined' },
        seLinuxOptions: { type: 'x', user: 'u' },
      },
      containers: [
        {
          ...a,
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
            seccompProfile: { type: 'Unconfined' },
            appArmorProfile: { type: 'Unconfined' },
            seLinuxOptions: { role: 'r' },
          },
        },
      ],
    },
    `forbidden AppArmor profile (pod and ${A} must not set AppArmor profile type to "Unconfined"), seLinuxOptions (pod and ${A} set forbidden securityContext.seLinuxOptions: type "x"; user may not be set; role may not be set), forbidden sysctls (kernel.msgmax, kernel.sem), seccompProfile (${A} must not set securityContext.seccompProfile.type to "Unconfined")`,
    `forbidden AppArmor profile (pod and ${A} must not set AppArmor profile type to "Unconfined"), seLinuxOptions (pod and ${A} set forbidden securityContext.seLinuxOptions: type "x"; user may not be set; role may not be set), seccompProfile (${A} must not set securityContext.seccompProfile.type to "Unconfined"), forbidden sysctls (kernel.msgmax, kernel.sem)`,
  ],
  [
    'probes and hooks of other hosts',
    {
      securityContext: { runAsNonRoot: true, seLinuxOptions: { level: 's0' } },
      containers: [
        { ...a, securityContext: { runAsNonRoot: false, seccompProfile: { type: 'Unconfined' } } },
        {
          ...b,
          livenessProbe: { httpGet: { host: '1.2.3.4', port: 80 } },
          lifecycle: { postStart: { httpGet: { host: 'a', port: 80 } } },
        },
      ],
    },
    `probe or lifecycle host (container "b" uses probe or lifecycle hosts "1.2.3.4", "a"), ${ESCALATES(AB)}, unrestricted capabilities (${KEEPS(AB)}), runAsNonRoot != true (${A} must not set securityContext.runAsNonRoot=false), seccompProfile (${A} must not set securityContext.seccompProfile.type to "Unconfined")`,
    `probe or lifecycle host (container "b" uses probe or lifecycle hosts "1.2.3.4", "a"), seccompProfile (${A} must not set securityContext.seccompProfile.type to "Unconfined")`,
  ],
  [
    'ports of the host',
    {
      containers: [
        { ...a, ports: [{ containerPort: 80, hostPort: 80 }] },
        { ...b, ports: [{ containerPort: 81, hostPort: 81 }], securityContext: { runAsNonRoot: false } },
      ],
    },
    `hostPort (${AB} use hostPorts 80, 81), ${ESCALATES(AB)}, unrestricted capabilities (${KEEPS(AB)}), runAsNonRoot != true (container "b" must not set securityContext.runAsNonRoot=false), ${NO_PROFILE(AB)}`,
    `hostPort (${AB} use hostPorts 80, 81)`,
  ],
  [
    'what complies',
    {
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        { ...a, securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } },
      ],
      volumes: [{ name: 'e', emptyDir: {} }],
    },
    '',
    '',
  ],
];

async function namespaceOf(server: TestServer, name: string, labels: Json): Promise<void> {
  const prefixed = Object.fromEntries(
    Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]),
  );
  const answer = await server.call('POST', '/api/v1/namespaces', {
    body: { metadata: { name, labels: prefixed } },
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  await withDefaultAccount(server, name);
}

describe('Pod Security', () => {
  it('refuses what the level of the namespace does not allow, with every rule that is broken', async (t) => {
    const server = await startTestServer(t);
    for (const level of ['restricted', 'baseline', 'privileged']) {
      await namespaceOf(server, level, {
        enforce: level,
        'enforce-version': level === 'baseline' ? 'v1.36' : 'latest',
      });
    }
    for (const [name, spec, restricted, baseline] of CASES) {
      const answers = { restricted, baseline, privileged: '' };
      for (const [level, text] of Object.entries(answers)) {
        const path = `/api/v1/namespaces/${level}/pods?dryRun=All`;
        const answer = await server.call('POST', path, { body: { metadata: { name: 'p' }, spec } });
        const version = level === 'baseline' ? 'v1.36' : 'latest';
        const expected = `pods "p" is forbidden: violates PodSecurity "${level}:${version}": ${text}`;
        if (text === '') assert.equal(answer.status, 201, `${name}: ${JSON.stringify(answer.body)}`);
        else assert.deepEqual([answer.status, answer.body.message], [403, expected], name);
      }
    }
  });

  it('warns of workloads whose pods it would refuse, and of what a namespace asks to be warned of', async (t) => {
    const server = await startTestServer(t);
    await namespaceOf(server, 'enforced', { enforce: 'baseline' });
    await namespaceOf(server, 'warned', { warn: 'baseline' });
    const spec = { containers: [a], hostPID: true };
    const template = { metadata: { labels: { app: 'a' } }, spec };
    const deployment = {
      metadata: { name: 'd' },
      spec: { selector: { matchLabels: { app: 'a' } }, template },
    };
    const warning = /would violate PodSecurity \\"baseline:latest\\": host namespaces \(hostPID=true\)/;
    for (const namespace of ['enforced', 'warned']) {
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
      const answer = await server.call('POST', path, { body: deployment });
      assert.equal(answer.status, 201);
      assert.match(String(answer.headers.warning), warning, namespace);
    }
    const pod = await server.call('POST', '/api/v1/namespaces/warned/pods', {
      body: { metadata: { name: 'p' }, spec },
    });
    assert.equal(pod.status, 201);
    assert.match(String(pod.headers.warning), warning);
  });

  it('warns of the pods in a namespace that break its new level, once for each reason', async (t) => {
    const server = await startTestServer(t);
    await namespaceOf(server, 'shop', {});
    for (const [name, spec] of [
      ['z', { containers: [a], hostPID: true }],
      ['p', { containers: [a] }],
      ['q', { containers: [a] }],
      ['r', { containers: [a] }],
    ] as const) {
      const made = await server.call('POST', '/api/v1/namespaces/shop/pods', {
        body: { metadata: { name }, spec },
      });
      assert.equal(made.status, 201, JSON.stringify(made.body));
    }
    const label = async (level: string): Promise<unknown> => {
      const { headers } = await server.call('PATCH', '/api/v1/namespaces/shop', {
        body: { metadata: { labels: { 'pod-security.kubernetes.io/enforce': level } } },
        headers: { 'content-type': 'application/merge-patch+json' },
      });
      return headers.warning;
    };
    const head = (level: string): string =>
      `299 - "existing pods in namespace \\"shop\\" violate the new PodSecurity enforce level \\"${level}:latest\\""`;
    const restricted =
      'allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile';
    assert.equal(await label('baseline'), `${head('baseline')}, 299 - "z: host namespaces"`);
    assert.equal(
      await label('restricted'),
      `${head('restricted')}, 299 - "p (and 2 other pods): ${restricted}", 299 - "z: host namespaces, ${restricted}"`,
    );
    assert.equal(await label('baseline'), undefined);
  });

  it('refuses levels and versions that there are not', async (t) => {
    const server = await startTestServer(t);
    await namespaceOf(server, 'shop', {});
    for (const [label, value, message] of [
      ['enforce', 'nonsense', 'Invalid value: "nonsense": must be one of privileged, baseline, restricted'],
      ['warn-version', '7', 'Invalid value: "7": must be "latest" or "v1.x"'],
    ] as const) {
      const key = `pod-security.kubernetes.io/${label}`;
      const answer = await server.call('PATCH', '/api/v1/namespaces/shop', {
        body: { metadata: { labels: { [key]: value } } },
        headers: { 'content-type': 'application/merge-patch+json' },
      });
      assert.equal(answer.status, 422);
      assert.equal(answer.body.message, `Namespace "shop" is invalid: metadata.labels[${key}]: ${message}`);
    }
  });
});

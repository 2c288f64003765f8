/** `kubectl certificate` and what it leads to, with requests by openssl; both unmodified. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { type ClientCluster, Kubectl, kubectlMissing, startClientCluster } from './harness.ts';

const skip = kubectlMissing || (spawnSync('openssl', ['version']).status !== 0 && 'openssl is not on PATH');

let cluster: ClientCluster;
let kubectl: Kubectl;

before(async () => {
  if (skip !== false) return;
  cluster = await startClientCluster(1, 'simulated');
  kubectl = new Kubectl(cluster, await cluster.namespace());
});

after(() => cluster?.close());

/** The manifest of a request by a key of this kind, whose files are `<name>.key` and `<name>.req`. */
async function requestFor(name: string, subject: string, newKey: string): Promise<string> {
  const made = await cluster.run('openssl', [
    ...['req', '-new', '-nodes', '-newkey', ...newKey.split(' ')],
    ...['-keyout', `${name}.key`, '-out', `${name}.req`, '-subj', subject],
  ]);
  assert.equal(made.code, 0, made.stderr);
  const text = await cluster.run('base64', ['-w0', `${name}.req`]);
  return `apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: ${name}}
spec:
  request: ${text.stdout}
  signerName: kubernetes.io/kube-apiserver-client
  expirationSeconds: 86400
  usages: [digital signature, key encipherment, client auth]
`;
}

test('kubectl certificate approve gives a user a way in, and deny gives none', { skip }, async () => {
  const keys = { jane: 'ec -pkeyopt ec_paramgen_curve:P-256', rita: 'rsa:2048' };
  for (const [name, newKey] of Object.entries(keys)) {
    const input = await requestFor(name, `/O=dev/CN=${name}`, newKey);
    await kubectl.ok('apply -f -', [], { input });
    assert.match(
      await kubectl.ok(`get csr ${name}`),
      /^NAME\s+AGE\s+SIGNERNAME\s+REQUESTOR\s+REQUESTEDDURATION\s+CONDITION\s*\n\w+\s+\S+\s+kubernetes.io\/kube-apiserver-client\s+kubernetes-admin\s+24h\s+Pending\s*$/,
    );
    assert.match(await kubectl.ok(`certificate approve ${name}`), /approved/);
    assert.match(await kubectl.ok(`get csr ${name} --no-headers`), /\sApproved,Issued\s*$/);
    const base64 = await kubectl.get(`csr/${name}`, '.status.certificate');
    await cluster.file(`${name}.crt`, Buffer.from(base64, 'base64').toString());
    const verified = await cluster.run('openssl', ['x509', '-in', `${name}.crt`, '-noout', '-text']);
    assert.match(verified.stdout, /Digital Signature, Key Encipherment/);
    assert.match(verified.stdout, /TLS Web Client Authentication/);
  }
  await kubectl.ok('config set-credentials jane --client-certificate=jane.crt --client-key=jane.key');
  await kubectl.ok('config set-credentials rita --client-certificate=rita.crt --client-key=rita.key');
  assert.match(await kubectl.ok('auth whoami --user=rita'), /Username\s+rita\b/);
  const who = await kubectl.ok('auth whoami --user=jane');
  assert.match(who, /Username\s+jane\b/);
  assert.match(who, /Groups\s+\[dev system:authenticated\]/);
  assert.match(await kubectl.fails('get pods --user=jane'), /User "jane" cannot list resource "pods"/);
  await kubectl.ok('create rolebinding dev --clusterrole=view --group=dev');
  assert.match(await kubectl.ok('get pods --user=jane', []), /^$/);

  await kubectl.ok('apply -f -', [], { input: await requestFor('joe', '/CN=joe', keys.jane) });
  await kubectl.ok('certificate deny joe');
  assert.match(await kubectl.ok('get csr joe --no-headers'), /\sDenied\s*$/);
  assert.match(await kubectl.fails('certificate approve joe'), /already Denied/);
  assert.match(await kubectl.ok('describe csr joe'), /Requesting User:\s+kubernetes-admin/);
  assert.equal(await kubectl.ok('get csr --field-selector spec.signerName=example.com/own -o name'), '');
  assert.match(await kubectl.ok('explain csr.spec'), /signerName\s+<string>/);
});

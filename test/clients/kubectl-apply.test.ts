import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ClientCluster, Kubectl, kubectlMissing, PATIENT, startClientCluster } from './harness.ts';
import { release, sleeper, WIDGET_DEFINITION, widget } from './manifests.ts';

/** Lines without their order. */
function sorted(text: string): string[] {
  return text.trim().split('\n').toSorted();
}

function configMap(name: string, data: string, labels = '{}'): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name}, labels: ${labels} }\ndata: ${data}\n`;
}

describe('kubectl: objects from files', { skip: kubectlMissing, timeout: 600_000 }, () => {
  let cluster: ClientCluster;

  before(async () => {
    cluster = await startClientCluster();
    const kubectl = new Kubectl(cluster, 'default');
    await kubectl.ok('apply -f -', [], { input: WIDGET_DEFINITION });
    await kubectl.ok(`wait --for=condition=Established crd/widgets.shop.example.com ${PATIENT}`);
  });
  after(() => cluster.close());

  const inNamespace = async (): Promise<Kubectl> => new Kubectl(cluster, await cluster.namespace());

  it('applies a release of a chart, and again without a change', async () => {
    const kubectl = await inNamespace();
    const input = release(kubectl.namespace);
    const kinds = [
      'configmap/shop',
      'deployment.apps/shop',
      'ingress.networking.k8s.io/shop',
      'role.rbac.authorization.k8s.io/shop',
      'rolebinding.rbac.authorization.k8s.io/shop',
      'secret/shop',
      'service/shop',
      'serviceaccount/shop',
      'widget.shop.example.com/shop',
    ];
    const said = async (word: string, command: string): Promise<void> =>
      assert.deepEqual(
        sorted(await kubectl.ok(command, [], { input })),
        kinds.map((kind) => `${kind} ${word}`),
      );
    await said('created', 'apply -f -');
    await said('unchanged', 'apply -f -');
    assert.equal(await kubectl.ok('diff -f -', [], { input }), '');
    await said('serverside-applied', 'apply --server-side -f -');
    assert.equal(await kubectl.ok('diff --server-side -f -', [], { input }), '');
    await kubectl.ok(`rollout status deployment/shop ${PATIENT}`);
    assert.match(await kubectl.ok('get all'), /widget\.shop\.example\.com\/shop\s+3/);
    const removed = sorted(await kubectl.ok('delete -f -', [], { input }));
    assert.deepEqual(removed.length, kinds.length);
  });

  it('takes what it can of a file with an unknown kind', async () => {
    const kubectl = await inNamespace();
    const input = `${configMap('known', '{}')}---\napiVersion: none.example.com/v1\nkind: None\nmetadata: { name: a }\n`;
    const complaint = await kubectl.fails('apply -f -', [], { input });
    assert.match(complaint, /no matches for kind "None" in version "none\.example\.com\/v1"/);
    assert.equal(await kubectl.ok('get configmap known -o name'), 'configmap/known\n');
  });

  it('tells a difference by its exit code', async () => {
    const kubectl = await inNamespace();
    await kubectl.ok('apply -f -', [], { input: sleeper('web', 0) });
    const { code, stdout } = await kubectl.run('diff -f -', [], { input: sleeper('web', 0, 'alpine') });
    assert.equal(code, 1);
    assert.match(stdout, /-\s+image: busybox\n\+\s+image: alpine/);
    assert.equal(await kubectl.get('deployment/web', '.spec.template.spec.containers[0].image'), 'busybox');
  });

  it('applies on the server: owners, conflicts, force', async () => {
    const kubectl = await inNamespace();
    const apply = 'apply --server-side -f - --field-manager';
    await kubectl.ok(apply, ['one'], { input: configMap('c', '{ a: "1", b: "1" }') });
    const conflict = await kubectl.fails(apply, ['two'], { input: configMap('c', '{ a: "2" }') });
    assert.match(conflict, /Apply failed with 1 conflict: conflict with "one": \.data\.a/);
    await kubectl.ok(`${apply} two --force-conflicts`, [], { input: configMap('c', '{ a: "2" }') });
    assert.equal(await kubectl.get('configmap/c', '.data'), '{"a":"2","b":"1"}');
    assert.equal(await kubectl.get('configmap/c', '.metadata.managedFields[*].manager'), 'one two');
    // What a manager no longer names goes when nobody else holds it.
    await kubectl.ok(apply, ['one'], { input: configMap('c', '{}') });
    assert.equal(await kubectl.get('configmap/c', '.data'), '{"a":"2"}');
  });

  it('takes over what was applied by the client', async () => {
    const kubectl = await inNamespace();
    await kubectl.ok('apply -f -', [], { input: configMap('c', '{ a: "1", b: "1" }') });
    await kubectl.ok('apply --server-side -f -', [], { input: configMap('c', '{ a: "1" }') });
    assert.equal(await kubectl.get('configmap/c', '.data'), '{"a":"1"}');
  });

  it('prunes what a set no longer has', async () => {
    const kubectl = await inNamespace();
    const one = configMap('one', '{ a: b }', '{ set: x }');
    const input = `${one}---\n${configMap('two', '{}', '{ set: x }')}`;
    const prune = 'apply --prune -l set=x --prune-allowlist=core/v1/ConfigMap -f -';
    await kubectl.ok(prune, [], { input });
    assert.deepEqual(sorted(await kubectl.ok(prune, [], { input: one })), [
      'configmap/one unchanged',
      'configmap/two pruned',
    ]);
  });

  it('tries on the server without keeping anything', async () => {
    const kubectl = await inNamespace();
    const create = await kubectl.ok('create deployment web --image=busybox --dry-run=server -o yaml');
    assert.match(create, /uid: [\s\S]*terminationGracePeriodSeconds: 30/);
    assert.match(await kubectl.fails('get deployment web'), /deployments\.apps "web" not found/);
    await kubectl.ok('create configmap c --from-literal=a=1');
    for (const command of ['label configmap c x=y', 'delete configmap c', 'annotate configmap c x=y']) {
      assert.match(await kubectl.ok(`${command} --dry-run=server`), /\(server dry run\)/);
    }
    assert.equal(await kubectl.get('configmap/c', '.metadata.labels'), '');
  });

  it('refuses what the schema does not have', async () => {
    const kubectl = await inNamespace();
    const unknown = await kubectl.fails('apply -f -', [], { input: `${configMap('c', '{}')}dat: {}\n` });
    assert.match(unknown, /unknown field "dat"/);
    const nested = await kubectl.fails('apply -f -', [], { input: widget('w', '{ size: 1, sise: 2 }') });
    assert.match(nested, /unknown field "spec\.sise"/);
    const wrong = await kubectl.fails('apply -f -', [], { input: widget('w', '{ size: 0, color: blue }') });
    assert.match(wrong, /spec\.size in body should be greater than or equal to 1/);
    assert.match(wrong, /Unsupported value: "blue": supported values: "red", "green"/);
    const warned = await kubectl.run('apply --validate=warn -f -', [], {
      input: widget('w', '{ size: 1, sise: 2 }'),
    });
    assert.equal(warned.stdout, 'widget.shop.example.com/w created\n');
    assert.match(warned.stderr, /Warning: unknown field "spec\.sise"/);
  });

  it('patches, and the status apart', async () => {
    const kubectl = await inNamespace();
    await kubectl.ok('apply -f -', [], { input: widget('w') });
    const patch = '{"status":{"ready":true,"size":2},"spec":{"size":99}}';
    await kubectl.ok('patch widget w --subresource=status --type=merge -p', [patch]);
    assert.equal(await kubectl.get('widget/w', '.status.ready} {.spec.size'), 'true 3');
    await kubectl.ok('scale widget/w --replicas=5');
    assert.equal(await kubectl.get('widget/w', '.spec'), '{"color":"red","size":5}');
    const strategic = await kubectl.fails('patch widget w -p', ['{"spec":{"size":9}}']);
    assert.match(strategic, /application\/strategic-merge-patch\+json is not supported/);
    const json = '[{"op":"test","path":"/spec/size","value":1}]';
    assert.match(await kubectl.fails('patch widget w --type=json -p', [json]), /The request is invalid/);
  });

  it('edits, replaces and replaces by force', async () => {
    const kubectl = await inNamespace();
    await kubectl.ok('create configmap c --from-literal=a=first');
    const script = '#!/bin/sh\nsed -i "s/a: first/a: edited/" "$1"\n';
    const editor = await cluster.file('editor.sh', script, 0o755);
    await kubectl.ok('edit configmap c', [], { env: { KUBE_EDITOR: editor } });
    assert.equal(await kubectl.get('configmap/c', '.data.a'), 'edited');
    const text = await kubectl.ok('get configmap c -o yaml');
    const input = text.replace('edited', 'replaced');
    await kubectl.ok('replace -f -', [], { input });
    assert.match(await kubectl.fails('replace -f -', [], { input }), /Conflict|the object has been modified/);
    const uid = await kubectl.get('configmap/c', '.metadata.uid');
    await kubectl.ok('replace --force -f -', [], { input: configMap('c', '{ a: forced }') });
    assert.notEqual(await kubectl.get('configmap/c', '.metadata.uid'), uid);
  });

  it('remembers what was applied', async () => {
    const kubectl = await inNamespace();
    await kubectl.ok('apply -f -', [], { input: configMap('c', '{ a: "1" }') });
    assert.match(await kubectl.ok('apply view-last-applied configmap/c'), /data:\n {2}a: "1"/);
    const input = configMap('c', '{ a: "2" }');
    await kubectl.ok('apply set-last-applied -f -', [], { input });
    assert.match(await kubectl.ok('apply view-last-applied configmap/c'), /data:\n {2}a: "2"/);
  });
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { bundle } from '../../build/bundle.ts';
import { rewriteAssets } from '../../build/inline-assets.ts';
import { packageFolder } from '../../build/licences.ts';
import { reexport } from '../../build/named-exports.ts';
import { onlyBundled, writeSbom } from '../../build/sbom.ts';
import { startOtlpReceiver } from '../../src/process/traces/testing/otlp-receiver.ts';
import { webApp } from '../support/manifests.ts';
import { temporaryFolder } from '../support/turnsole.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

describe('the published package', () => {
  it('runs an engine from below node_modules, with no other package installed', async (t) => {
    await using folder = await temporaryFolder();
    const home = join(folder.path, 'node_modules', 'turnsole');
    await mkdir(home, { recursive: true });
    const { packages } = await bundle(ROOT, join(home, 'dist'));
    for (const name of ['bin', 'package.json'])
      await cp(join(ROOT, name), join(home, name), { recursive: true });
    const licences = await readFile(join(home, 'dist', 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    for (const name of packages)
      assert.ok(licences.includes(`\n${name.replace(/@(?=[^@]+$)/, ' ')} (`), name);

    await writeSbom(ROOT, folder.path, packages);
    const sbom = JSON.parse(await readFile(join(folder.path, 'sbom.cdx.json'), 'utf8'));
    const listed = sbom.components.map(({ name, version }: Record<string, string>) => `${name}@${version}`);
    assert.deepEqual([...new Set(listed)].toSorted(), [...new Set(packages)].toSorted());
    assert.ok(sbom.components.every(({ hashes }: { hashes?: unknown[] }) => hashes?.length === 1));
    assert.equal(sbom.metadata.component.name, 'turnsole');

    const manifests = join(folder.path, 'chaos.yaml');
    await writeFile(manifests, [webApp(1), EXPERIMENT, ENGINE].join('---\n'));
    const args = [join(home, 'bin', 'turnsole.js'), 'run', manifests, '--isolation', 'none', '--no-timeline'];
    const receiver = await startOtlpReceiver(t);
    const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.grpc };
    const { stdout } = await run(process.execPath, args, { cwd: folder.path, env });
    assert.match(stdout, /pod-delete.*Pass/);
    assert.equal(receiver.spans[0]?.name, 'run', 'the SDK for traces is part of it');
  });

  it('refuses to bundle a file that would not be found', () => {
    const found = { asset: () => {}, required: () => {} };
    assert.throws(
      () => rewriteAssets("readFileSync(new URL('../data', import.meta.url))", found),
      /cannot keep/,
    );
  });

  it('puts files that are loaded by name beside the code', () => {
    const names: string[] = [];
    const found = { asset: (path: string) => names.push(path), required: (name: string) => names.push(name) };
    const source = "new URL('../a/b.cjs', import.meta.url); createRequire(import.meta.url)('pino');";
    const expected = "new URL('./b.cjs', import.meta.url); createRequire(import.meta.url)('./pino.cjs');";
    assert.equal(rewriteAssets(source, found), expected);
    assert.deepEqual(names, ['../a/b.cjs', 'pino']);
  });

  it('exports the names that can be written in an export', () => {
    const source = reexport('yaml', ['parse', 'default', '__esModule', 'module.exports']);
    assert.equal(source, 'export { parse, default } from "yaml";\n');
  });

  it('refuses a list of its parts that lacks one', () => {
    const parts = { metadata: { component: {} }, components: [], dependencies: [] };
    assert.throws(() => onlyBundled(parts, ['a@1']), /does not have a@1/);
  });

  it('knows the package of a file', () => {
    assert.equal(packageFolder('node_modules/@a/b/dist/x.js'), 'node_modules/@a/b');
    assert.equal(packageFolder('node_modules/a/node_modules/b/x.js'), 'node_modules/a/node_modules/b');
    assert.equal(packageFolder('src/cli/main.ts'), undefined);
  });
});

const EXPERIMENT = `
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosExperiment
metadata: { name: pod-delete }
spec:
  definition:
    image: litmuschaos/go-runner:latest
    command: [/bin/bash]
    args: ['-c', './experiments -name pod-delete']
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: chaos-sa }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: chaos-sa }
subjects: [{ kind: ServiceAccount, name: chaos-sa, namespace: default }]
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin }
`;

const ENGINE = `
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosEngine
metadata: { name: packed }
spec:
  chaosServiceAccount: chaos-sa
  appinfo: { applabel: app=web, appkind: deployment }
  experiments:
    - name: pod-delete
      spec: { components: { env: [{ name: TOTAL_CHAOS_DURATION, value: '1' }] } }
`;

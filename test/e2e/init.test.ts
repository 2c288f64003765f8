/** What `init` reads, what it says that it does not know, and what it refuses. That its files lead to a verdict: first-verdict.test.ts. */
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { turnsoleIn } from '../support/command-in.ts';
import { temporaryFolder } from '../support/turnsole.ts';

async function project(files: Readonly<Record<string, string>>): Promise<{ path: string } & AsyncDisposable> {
  const folder = await temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, path)), { recursive: true });
    await writeFile(join(folder.path, path), text);
  }
  return folder;
}

/** A workload with its Service, as teams write them. */
function manifests(kind: 'Deployment' | 'StatefulSet', replicas: number, container: string): string {
  return `
apiVersion: apps/v1
kind: ${kind}
metadata: { name: api, labels: { app: api } }
spec:
  replicas: ${replicas}
  ${kind === 'StatefulSet' ? 'serviceName: api' : ''}
  selector: { matchLabels: { app: api } }
  template:
    metadata: { labels: { app: api } }
    spec:
      terminationGracePeriodSeconds: 5
      containers:
        - name: api
          ports: [{ name: web, containerPort: 8080 }]
          readinessProbe: { httpGet: { path: /healthz, port: web }, periodSeconds: 1 }
${container}
---
apiVersion: v1
kind: Service
metadata: { name: api }
spec: { selector: { app: api }, ports: [{ port: 80, targetPort: web }] }
`;
}

/** Answers what is under way before it ends. */
const DRAINING = `
const server = require('node:http').createServer((request, response) => response.end('ok'));
server.listen(8080);
process.on('SIGTERM', () => setTimeout(() => server.close(() => process.exit(0)), 500));
`;

describe('init', () => {
  it('a stateful set whose container says its own command, among files that are no manifests', async () => {
    const own = `          image: shop/store\n          command: [node, -e, ${JSON.stringify(DRAINING.replaceAll('\n', ' '))}]`;
    await using folder = await project({
      'k8s/store.yaml': manifests('StatefulSet', 2, own),
      'k8s/values.yaml': 'replicas: 2\n',
    });
    const init = await turnsoleIn(folder.path, ['init']);
    assert.equal(init.code, 0, init.text);
    const settings = parse(await readFile(join(folder.path, 'turnsole.yaml'), 'utf8'));
    assert.deepEqual(settings.manifests, ['k8s/store.yaml']);
    assert.deepEqual(settings.images, { 'shop/store': '' });
    const planned = await turnsoleIn(folder.path, ['plan', '-o', 'json']);
    assert.equal(planned.code, 0, planned.text);
    const again = await turnsoleIn(folder.path, ['init']);
    assert.equal(again.code, 2);
    assert.match(again.text, /turnsole\.yaml, chaos\/api-pod-delete\.yaml exist; --force writes over/);
  });

  it('says what it does not know, and what it cannot read', async () => {
    await using folder = await project({
      'k8s/app.yaml': manifests('Deployment', 1, '          image: shop/unknown'),
      'k8s/worker.yaml': manifests('Deployment', 1, '          image: busybox')
        .split('---')[0]
        ?.replaceAll(/\bapi\b/g, 'worker') as string,
    });
    const init = await turnsoleIn(folder.path, ['init']);
    assert.equal(init.code, 0, init.text);
    assert.match(init.text, /note: nothing says what shop\/unknown stands for/);
    assert.match(init.text, /note: no experiment for deployment\/worker/);
    assert.match(await readFile(join(folder.path, 'turnsole.yaml'), 'utf8'), /^# {3}shop\/unknown: /m);
    await using chart = await project({
      'deploy/Chart.yaml': 'name: x',
      'deploy/templates/a.yaml': '{{ x }}',
    });
    const refused = await turnsoleIn(chart.path, ['init']);
    assert.equal(refused.code, 2);
    assert.match(refused.text, /no Deployment.* found.*deploy is a Helm chart; render it: helm template/);
  });
});

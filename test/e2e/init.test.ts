/** From an application and its manifests to a first verdict: two commands, and no file written by hand. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { MAIN, temporaryFolder } from '../support/turnsole.ts';

const start = promisify(execFile);

/** Runs a command in a folder, as somebody does who works there. */
async function command(
  folder: string,
  args: readonly string[],
): Promise<{ readonly code: number; readonly text: string }> {
  const options = { cwd: folder, env: { ...process.env, NO_COLOR: '1' } };
  try {
    const { stdout, stderr } = await start(process.execPath, [MAIN, ...args], options);
    return { code: 0, text: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, text: stdout + stderr };
  }
}

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

const PYTHON = `
import signal, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header('Content-Length', '2')
        self.end_headers()
        self.wfile.write(b'ok')
    def log_message(self, *args):
        pass
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
ThreadingHTTPServer(('', 8080), Handler).serve_forever()
`;

const isolated =
  process.platform === 'linux' && process.getuid?.() === 0
    ? false
    : 'its programs need networks of their own';

describe('init, then run', () => {
  it('a Node service with two replicas that drains: Pass', async () => {
    await using folder = await project({
      'k8s/app.yaml': manifests('Deployment', 2, '          image: registry.example/shop/api:1.2'),
      Dockerfile: 'FROM node:24\nCOPY server.js /app/\nCMD ["node", "/app/server.js"]\n',
      'server.js': DRAINING,
    });
    const init = await command(folder.path, ['init']);
    assert.equal(init.code, 0, init.text);
    assert.match(init.text, /image shop\/api: node server\.js \(by Dockerfile\)/);
    assert.match(init.text, /next: turnsole run/);
    const settings = parse(await readFile(join(folder.path, 'turnsole.yaml'), 'utf8'));
    assert.deepEqual(settings, {
      manifests: ['k8s'],
      experiments: ['chaos'],
      images: { 'shop/api': 'node server.js' },
    });
    const ran = await command(folder.path, ['run', '--no-timeline']);
    assert.equal(ran.code, 0, ran.text);
    assert.match(ran.text, /default\/api-pod-delete +pod-delete +Pass +1\/1/);
    assert.match(ran.text, /api-answers: (?:none|\d+) of \d+ requests failed/);
    const again = await command(folder.path, ['init']);
    assert.equal(again.code, 2);
    assert.match(again.text, /turnsole\.yaml, chaos\/api-pod-delete\.yaml exist; --force writes over/);
  });

  it('a Python service with one replica: Fail, with how long nobody was served', {
    skip: isolated,
  }, async () => {
    await using folder = await project({
      'deploy/base/app.yaml': manifests('Deployment', 1, '          image: api'),
      'services/api/Dockerfile': 'FROM python:3\nWORKDIR /app\nCOPY app.py .\nCMD python3 app.py\n',
      'services/api/app.py': PYTHON,
    });
    const init = await command(folder.path, ['init', '--yes']);
    assert.equal(init.code, 0, init.text);
    assert.match(init.text, /image api: python3 services\/api\/app\.py \(by services\/api\/Dockerfile\)/);
    const ran = await command(folder.path, ['run', '--no-timeline']);
    assert.equal(ran.code, 1, ran.text);
    assert.match(ran.text, /pod-delete +Fail +0\/1/);
    assert.match(ran.text, /api-answers: .*requests failed/);
  });

  it('a stateful set whose container says its own command, among files that are no manifests', async () => {
    const own = `          image: shop/store\n          command: [node, -e, ${JSON.stringify(DRAINING.replaceAll('\n', ' '))}]`;
    await using folder = await project({
      'k8s/store.yaml': manifests('StatefulSet', 2, own),
      'k8s/values.yaml': 'replicas: 2\n',
    });
    const init = await command(folder.path, ['init']);
    assert.equal(init.code, 0, init.text);
    const settings = parse(await readFile(join(folder.path, 'turnsole.yaml'), 'utf8'));
    assert.deepEqual(settings.manifests, ['k8s/store.yaml']);
    assert.deepEqual(settings.images, { 'shop/store': '' });
    const planned = await command(folder.path, ['plan', '-o', 'json']);
    assert.equal(planned.code, 0, planned.text);
  });

  it('says what it does not know, and what it cannot read', async () => {
    await using folder = await project({
      'k8s/app.yaml': manifests('Deployment', 1, '          image: shop/unknown'),
      'k8s/worker.yaml': manifests('Deployment', 1, '          image: busybox')
        .split('---')[0]
        ?.replaceAll(/\bapi\b/g, 'worker') as string,
    });
    const init = await command(folder.path, ['init']);
    assert.equal(init.code, 0, init.text);
    assert.match(init.text, /note: nothing says what shop\/unknown stands for/);
    assert.match(init.text, /note: no experiment for deployment\/worker/);
    assert.match(await readFile(join(folder.path, 'turnsole.yaml'), 'utf8'), /^# {3}shop\/unknown: /m);
    await using chart = await project({
      'deploy/Chart.yaml': 'name: x',
      'deploy/templates/a.yaml': '{{ x }}',
    });
    const refused = await command(chart.path, ['init']);
    assert.equal(refused.code, 2);
    assert.match(refused.text, /no Deployment.* found.*deploy is a Helm chart; render it: helm template/);
  });
});

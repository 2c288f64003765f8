/** `turnsole run --build`: from a Dockerfile to a verdict in one command, with a program that is there. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { staticImage } from '@turnsole/cluster/node/testing/application-images';
import { isolationMissing } from '@turnsole/cluster/node/testing/isolation-missing';
import { findProgram } from '@turnsole/kube/base/machine';
import { temporaryFolder, turnsole } from '../support/turnsole.ts';

const folder = await temporaryFolder();
after(() => folder[Symbol.asyncDispose]());
const missing = await isolationMissing();
const noBuildah = findProgram('buildah') === undefined ? 'buildah is not there' : false;

/** Buildah keeps it for the user who runs the tests, until they are over. */
const NAME = 'turnsole.test/api:dev';

const APP = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: api }
spec:
  replicas: 2
  selector: { matchLabels: { app: api } }
  template:
    metadata: { labels: { app: api } }
    spec:
      containers:
        - name: api
          image: ${NAME}
          readinessProbe: { httpGet: { path: /, port: 8080 }, periodSeconds: 1 }
`;

/** An application in a folder, and an environment in which Docker's command is there and its daemon is not. */
function application(): { readonly place: string; readonly env: NodeJS.ProcessEnv } {
  const place = join(folder.path, 'app');
  const bin = join(folder.path, 'bin');
  for (const path of [join(place, 'k8s'), bin]) mkdirSync(path, { recursive: true });
  writeFileSync(join(place, 'k8s', 'app.yaml'), APP);
  writeFileSync(join(bin, 'docker'), '#!/bin/sh\necho "Cannot connect to the Docker daemon" >&2\nexit 1\n');
  chmodSync(join(bin, 'docker'), 0o755);
  const PATH = `${bin}${delimiter}${process.env['PATH']}`;
  return { place, env: { PATH, XDG_CACHE_HOME: join(folder.path, 'cache') } };
}

const { place, env } = application();
const run = (build: string, more: readonly string[] = []) =>
  turnsole(
    [
      'run',
      join(place, 'k8s'),
      ...['--build', build, '--fault', 'pod-delete', '--target', 'deployment/api', '--no-probe'],
      ...['--set', 'TOTAL_CHAOS_DURATION=2', ...more],
    ],
    env,
  );

test('an application of a Dockerfile is built, deployed, and has its verdict', {
  skip: missing ?? noBuildah,
}, async (t) => {
  const { missing: noGo } = staticImage(place);
  if (noGo !== undefined) return t.skip(`${noGo} is not there`);
  writeFileSync(
    join(place, 'Dockerfile'),
    'FROM scratch\nCOPY server /server\nUSER 65532\nENTRYPOINT ["/server"]\n',
  );
  t.after(() => execFileSync('buildah', ['rmi', '--force', NAME], { stdio: 'ignore' }));
  const { code, stdout, stderr } = await run(`${place}=${NAME}`);
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, /build: buildah build -t turnsole\.test\/api:dev -f .*\/Dockerfile .*\/app$/m);
  assert.match(stdout, /pod-delete {2}Pass/);
  const asked = ['--fault', 'pod-cpu-hog-exec', '--target', 'deployment/api', '--no-probe'];
  const planned = await turnsole(['plan', join(place, 'k8s'), ...asked], env);
  assert.equal(planned.code, 2, planned.stdout + planned.stderr);
  assert.match(
    planned.stdout + planned.stderr,
    /its image has no \/bin\/sh; pod-cpu-hog does the same from the node/,
  );
});

test('a build that fails ends everything, with what the program said', {
  skip: missing ?? noBuildah,
}, async () => {
  const file = join(place, 'Broken.dockerfile');
  writeFileSync(file, 'FROM scratch\nCOPY nothing-of-this-name /\n');
  const { code, stdout, stderr } = await run(`${file}=${NAME}`);
  assert.equal(code, 3, stdout);
  assert.match(
    stderr,
    /nothing-of-this-name[^]*--build: buildah build .* ended with exit code \d+; .*\[BUILD_FAILED\]/,
  );
  assert.doesNotMatch(stdout, /embedded cluster ready/);
});

const REFUSED: readonly (readonly [
  name: string,
  build: string,
  more: readonly string[],
  says: RegExp,
  needsIsolation?: boolean,
])[] = [
  [
    'a value without a name',
    './Dockerfile',
    [],
    /expected a Dockerfile or its folder and the name of the image/,
  ],
  ['a file that is not there', '/none=a:1', [], /--build \/none: there is no such file/, true],
  [
    'a folder without one',
    `${join(folder.path, 'bin')}=a:1`,
    [],
    /it has no Dockerfile and no Containerfile/,
    true,
  ],
  ['pods that are not isolated', `${place}=a:1`, ['--isolation', 'none'], /--isolation none has none/],
  ['a cluster elsewhere', `${place}=a:1`, ['--kubeconfig', '/none'], /--build is for the embedded cluster/],
];

for (const [name, build, more, says, needsIsolation = false] of REFUSED) {
  test(`refused: ${name}`, { skip: needsIsolation && missing !== undefined ? missing : false }, async () => {
    const { code, stderr } = await run(build, more);
    assert.equal(code, 2, stderr);
    assert.match(stderr, says);
  });
}

/**
 * From an application to a first verdict that is true, by two commands and without a file written by hand: `init`, then `run`, in a copy
 * of each folder of `first-verdict`, an application as its authors have it.
 */
import assert from 'node:assert/strict';
import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { findProgram } from '@turnsole/kube/base/machine';
import { parse } from 'yaml';
import { turnsoleIn } from '../support/command-in.ts';
import { temporaryFolder } from '../support/turnsole.ts';

const APPLICATIONS = join(import.meta.dirname, 'first-verdict');

/** Of the two names, the one that the Dockerfile has counts where it is there. */
const PYTHON = hasProgram('python') ? 'python' : 'python3';

/** What an application has to lead to. */
interface Expected {
  /** turnsole.yaml as `init` writes it. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** What `init` says. */
  readonly says: readonly RegExp[];
  /** Exit code of `run`, and its verdicts. */
  readonly code: number;
  readonly verdicts: readonly RegExp[];
  /** Programs of the machine without which it cannot be tried. */
  readonly programs?: readonly string[];
  /** Its programs do not listen on the address of their pod by themselves, as Node does with the preload. */
  readonly needsNetwork?: boolean;
}

const EXPECTED: Readonly<Record<string, Expected>> = {
  // Two replicas that answer what is under way.
  'node-draining': {
    settings: { manifests: ['k8s'], experiments: ['chaos'], images: { 'shop/api': 'node server.js' } },
    says: [/image shop\/api: node server\.js \(by Dockerfile\)/, /next: turnsole run/],
    code: 0,
    verdicts: [/default\/api-pod-delete +pod-delete +Pass +1\/1/, /api-answers: .*requests failed/],
  },
  // One replica: nobody is served while it is replaced. Only its Dockerfile says on which port it listens.
  'python-module': {
    settings: {
      manifests: ['deploy/base'],
      experiments: ['chaos'],
      images: { api: `env -C services/api PORT=9300 ${PYTHON} -m shop` },
    },
    says: [
      /image api: env -C services\/api PORT=9300 python3? -m shop \(by services\/api\/Dockerfile\)/,
      /while 20 users a second ask http:\/\/api\.default\.svc\.cluster\.local:9300\//,
    ],
    code: 1,
    verdicts: [/pod-delete +Fail +0\/1/, /api-answers: .*[1-9]\d* of \d+ requests failed/],
    programs: ['python3'],
    needsNetwork: true,
  },
  // Compiled before the cluster starts.
  'go-module': {
    settings: {
      manifests: ['k8s'],
      experiments: ['chaos'],
      build: ['go build -C services/api -o "$PWD/.turnsole/api" .'],
      images: { 'shop/api': './.turnsole/api' },
    },
    says: [
      /image shop\/api: \.\/\.turnsole\/api \(by services\/api\/go\.mod, built by go build/,
      /note: what is built lies in \.turnsole; add it to \.gitignore/,
    ],
    code: 0,
    verdicts: [/pod-delete +Pass +1\/1/],
    programs: ['go'],
    needsNetwork: true,
  },
  // One replica again, of a program that starts slowly.
  'java-source': {
    settings: {
      manifests: ['manifests'],
      experiments: ['chaos'],
      images: { 'shop/quotes': 'java Main.java' },
    },
    says: [/image shop\/quotes: java Main\.java \(by Main\.java\)/],
    code: 1,
    verdicts: [
      /quotes-pod-delete +pod-delete +Fail +0\/1/,
      /quotes-answers: .*[1-9]\d* of \d+ requests failed/,
    ],
    programs: ['java', 'javac'],
    needsNetwork: true,
  },
  // Without a Service: the verdict says what it does not know.
  worker: {
    settings: { manifests: ['k8s'], experiments: ['chaos'], images: { 'shop/mailer': 'node src/worker.js' } },
    says: [/image shop\/mailer: node src\/worker\.js \(by package\.json\)/, /nothing is asked/],
    code: 0,
    verdicts: [
      /mailer-pod-delete +pod-delete +Pass +-/,
      /warning: passed, but nothing judged what users saw/,
    ],
  },
  // With claims, a headless Service, and a file beside the manifests that is none.
  'stateful-set': {
    settings: {
      manifests: ['k8s/store.yaml'],
      experiments: ['chaos'],
      images: { 'shop/store': 'node server.js' },
    },
    says: [/pod-delete on statefulset\/store/],
    code: 0,
    verdicts: [/store-pod-delete +pod-delete +Pass +1\/1/],
  },
  // What Redis is to the API is asked of the API.
  'api-with-redis': {
    settings: {
      manifests: ['k8s'],
      experiments: ['chaos'],
      images: { 'shop/api': 'node api/server.js', redis: 'redis-server --protected-mode no' },
    },
    says: [/pod-delete on deployment\/redis, while 20 users a second ask http:\/\/api\.default/],
    code: 1,
    verdicts: [
      /default\/api-pod-delete +pod-delete +Pass +1\/1/,
      /default\/redis-pod-delete +pod-delete +Fail +0\/1/,
      /api-answers: .*status 503.*[1-9]\d* of \d+ requests failed/,
    ],
    programs: ['redis-server'],
    needsNetwork: true,
  },
};

function hasProgram(name: string): boolean {
  return findProgram(name, process.env['PATH'] ?? '') !== undefined;
}

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

/** Why an application cannot be tried on this machine; false where it can. */
function untried({ programs = [], needsNetwork = false }: Expected): string | false {
  const missing = programs.filter((name) => !hasProgram(name));
  if (missing.length > 0) return `this machine has no ${missing.join(' and ')}`;
  return needsNetwork && !isRoot ? 'its programs need networks of their own, which take root' : false;
}

describe('init, then run', () => {
  it('is tried with every application', async () => {
    assert.deepEqual((await readdir(APPLICATIONS)).toSorted(), Object.keys(EXPECTED).toSorted());
  });

  for (const [name, expected] of Object.entries(EXPECTED))
    it(`${name}: exit code ${expected.code}`, { skip: untried(expected) }, async () => {
      await using folder = await temporaryFolder();
      await cp(join(APPLICATIONS, name), folder.path, { recursive: true });
      const init = await turnsoleIn(folder.path, ['init']);
      assert.equal(init.code, 0, init.text);
      for (const sentence of expected.says) assert.match(init.text, sentence);
      const settings: unknown = parse(await readFile(join(folder.path, 'turnsole.yaml'), 'utf8'));
      assert.deepEqual(settings, expected.settings);
      const ran = await turnsoleIn(folder.path, ['run', '--no-timeline']);
      assert.equal(ran.code, expected.code, ran.text);
      for (const verdict of expected.verdicts) assert.match(ran.text, verdict);
    });
});

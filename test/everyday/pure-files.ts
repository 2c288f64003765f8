/** Test files that may share a process. */
import { readFileSync } from 'node:fs';
import { reaching } from './imports.ts';

/** What a pure test may use of others: nothing here is changed by one test so that another could see it. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...['node:test', 'node:assert/strict', 'node:util', 'node:path', 'node:url', 'node:buffer', 'node:crypto'],
  ...['node:fs', 'node:fs/promises', 'node:os', 'node:events', 'node:stream', 'node:timers/promises'],
  ...[
    'node:perf_hooks',
    'fast-check',
    'yaml',
    'typebox',
    'dns-packet',
    '@marcbachmann/cel-js',
    'graphql',
    'jose',
    're2js',
  ],
]);

/** What a test may use besides that serves and asks in its own process: sockets and copies that end with the test. */
const IN_PROCESS: ReadonlySet<string> = new Set([
  ...HARMLESS,
  ...[
    'node:http',
    'node:https',
    'node:http2',
    'node:net',
    'node:tls',
    'node:dgram',
    'node:dns',
    'node:dns/promises',
  ],
  ...['node:zlib', 'node:stream/promises', 'node:stream/web', 'node:stream/consumers', 'node:async_hooks'],
  ...['node:sqlite', 'node:v8', 'node:module', 'node:string_decoder', 'node:readline', 'node:timers'],
  ...['pino', 'prom-client', 'ws', 'ajv', 'commander', 'aws4fetch', 'jq-wasm', '@kubernetes/client-node'],
  ...['kysely', '@jmespath-community/jmespath', 'openid-client'],
]);

/** Starts a process only for a kubeconfig that names one; the tests that share a process have none such. */
const STARTS_BY_CONFIG = 'packages/kube/src/client/config/exec-plugin.ts';

/** The control plane, and agents and commands that talk to one in the same process. */
const SERVER_FILES =
  /^src\/(?:controlplane|components\/(?:exporter|subscriber)|services\/install|cli\/remote)\/.*\.api\.test\.ts$/;

/** Variables and signals are those of all files of the process. A test may read a variable; hooks are those of a file's suite (runTogether). */
const OF_THE_PROCESS =
  /\bmock\.(?:timers|method|module)|\bprocess\.(?!cwd\b|platform\b|getuid\b|execPath\b|version|arch\b|pid\b|env\.\w+ \?\?(?!=))\w/;

/**
 * Those of some test files that need no process of their own: neither they nor anything that they import, directly or not, starts
 * processes, opens sockets or uses a package that might, and they change nothing that a process has once. Most of the processor time of
 * such a file is the start of Node and its imports, so all of them together take a fourth of what they take apart.
 */
export function pureFiles(files: readonly string[]): string[] {
  const others = new Set(reaching(files, ({ packages }) => packages.some((name) => !HARMLESS.has(name))));
  return files.filter((file) => !others.has(file) && !isOfTheProcess(file));
}

/**
 * Those of some test files that may share a process with others of their kind, one after the other: they serve and ask over sockets, but
 * neither they nor anything that they import starts processes, and they change nothing that a process has once. Most of them need the
 * same few hundred modules, an API server among them, whose loading costs more than most of their tests.
 */
export function inProcessFiles(files: readonly string[]): string[] {
  const others = new Set(
    reaching(
      files,
      ({ file, packages }) =>
        !file.endsWith(STARTS_BY_CONFIG) && packages.some((name) => !IN_PROCESS.has(name)),
    ),
  );
  return files.filter((file) => !others.has(file) && !isOfTheProcess(file));
}

/** Of some test files over HTTP those that may share a process: they have servers and databases of their own each, and need the same libraries. */
export function serverFiles(files: readonly string[]): string[] {
  return files.filter((file) => SERVER_FILES.test(file) && !isOfTheProcess(file));
}

function isOfTheProcess(file: string): boolean {
  return OF_THE_PROCESS.test(readFileSync(file, 'utf8'));
}

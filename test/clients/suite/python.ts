import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Client, ClientContext } from './client.ts';
import type { Programs } from './programs.ts';

const PYTHON = 'python3';
const PACKAGES = ['kubernetes', 'kopf', 'kr8s', 'lightkube'];

/** Tests of the scripts; the client's own come from the everyday tests. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  'conformance.py': [
    ...['crud', 'watch', 'pods_and_logs', 'workloads', 'custom_objects', 'dynamic', 'leader_election'],
    'versions_and_rights',
  ],
  'operators.py': ['kr8s', 'kr8s_scale', 'lightkube', 'kopf'],
};

/** Kubernetes' client for Python, two other ones, and a framework for operators. */
export const PYTHON_CLIENTS: Client = {
  name: 'python',
  programs: [PYTHON],
  unable: (programs) =>
    versionsOf(programs) === undefined ? `${PYTHON} has not all of ${PACKAGES.join(', ')}` : undefined,
  covers:
    'kubernetes: objects, watches, pods and logs, workloads, custom objects, dynamic client, leader election, versions and rights; kr8s: wait, exec, logs, labels, scale; lightkube: server-side apply, watch, patch, errors; kopf: an operator with create, field and delete handlers and a finalizer',
  version: ({ programs }) => versionsOf(programs) ?? 'unknown',
  async run(context) {
    await context.stage.cluster();
    for (const [script, tests] of Object.entries(SCRIPTS)) await runScript(context, script, tests);
  },
};

async function runScript(
  { stage, program, checks }: ClientContext,
  script: string,
  tests: readonly string[],
): Promise<void> {
  const path = join(import.meta.dirname, '../python', script);
  const { stdout, stderr } = await stage.run(program(PYTHON), [path]);
  for (const test of tests) {
    await checks.expected(`${script}: ${test.replaceAll('_', ' ')}`, () => {
      assert.match(stdout, new RegExp(`^ok test_${test}$`, 'm'), `${stdout}\n${stderr}`);
    });
  }
  await checks.expected(`${script}: no other tests`, () => {
    assert.equal(stdout.match(/^(not )?ok test_/gm)?.length, tests.length);
  });
}

/** The packages with their versions; undefined when one is missing. */
function versionsOf(programs: Programs): string | undefined {
  const python = programs.find(PYTHON);
  if (python === undefined) return undefined;
  const ask = `import importlib.metadata as m; print(', '.join(n + ' ' + m.version(n) for n in ${JSON.stringify(PACKAGES)}))`;
  try {
    return execFileSync(python, ['-c', ask], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}

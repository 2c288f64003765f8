import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from './client.ts';
import type { Programs } from './programs.ts';

const PROGRAM = join(import.meta.dirname, '../java/Conformance.java');
const TESTS = ['crud', 'generic', 'informer'];

/** Kubernetes' client for Java, and its informers. */
export const JAVA_CLIENT: Client = {
  name: 'java',
  programs: ['java'],
  unable: (programs) =>
    versionOf(programs) === undefined
      ? 'no folder java with io.kubernetes:client-java in TURNSOLE_CLIENTS'
      : undefined,
  covers: 'client-java: objects, a conflict, generic client with patch, an informer',
  version: ({ programs }) => versionOf(programs) ?? 'unknown',
  async run({ stage, program, programs, checks }) {
    await stage.cluster();
    const classPath = join(programs.beside('java') ?? '', '*');
    const { stdout, stderr } = await stage.run(program('java'), ['-cp', classPath, PROGRAM]);
    for (const test of TESTS) {
      await checks.expected(test, () => {
        assert.match(stdout, new RegExp(`^ok ${test}$`, 'm'), `${stdout}\n${stderr}`);
      });
    }
  },
};

/** The version in the name of the client's jar; undefined without it. */
function versionOf(programs: Programs): string | undefined {
  try {
    const names = readdirSync(programs.beside('java') ?? '').join('\n');
    return /^client-java-(\d\S*)\.jar$/m.exec(names)?.[1];
  } catch {
    return undefined;
  }
}

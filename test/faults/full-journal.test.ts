/** A node whose disk has no room for the journal of helpers: nothing is injected there, and the run says why. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { JOURNAL_FOLDER } from '../../src/experiment/helper/journal.ts';
import { chaosAccount, documents, engine, experiment, webApp } from '../support/manifests.ts';
import { MAIN, temporaryFolder } from '../support/turnsole.ts';
import { effectsImpossible, ownNodesImpossible } from './support/fault-cluster.ts';

const run = promisify(execFile);
const FAULT = 'pod-http-status-code';

/** A full disk of four pages in the place of the journals, for this process and what it starts; then the command, and what it leaves there. */
const ON_A_FULL_DISK = `
  mkdir -p "$1" && mount -t tmpfs -o size=16k tmpfs "$1" || exit 99
  cat /dev/zero > "$1/large" 2> /dev/null
  folder=$1; shift
  "$@"; code=$?
  rm "$folder/large"; ls -A "$folder"
  exit $code`;

interface Report {
  readonly engines: readonly {
    readonly experiments: readonly {
      readonly verdict: string;
      readonly reason: string;
      readonly targets: readonly object[];
    }[];
    readonly timeline: readonly { readonly step: string }[];
  }[];
}

test('a journal that cannot be written keeps the fault from beginning', {
  skip: effectsImpossible || ownNodesImpossible,
}, async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'chaos.yaml');
  const report = join(folder.path, 'report.json');
  const env = { TARGET_SERVICE_PORT: '8080', STATUS_CODE: '500', TOTAL_CHAOS_DURATION: '30' };
  const manifests = [
    webApp(2),
    chaosAccount(),
    experiment(FAULT),
    engine({ experiments: [{ name: FAULT, env }] }),
  ];
  await writeFile(file, documents(...manifests));
  const command = [process.execPath, MAIN, 'run', file, '--isolation', 'full', '--json', report];
  const words = [
    '--mount',
    '--propagation',
    'private',
    'sh',
    '-c',
    ON_A_FULL_DISK,
    'sh',
    JOURNAL_FOLDER,
    ...command,
  ];
  const ended = await run('unshare', words).catch(
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  assert.equal('code' in ended ? ended.code : 0, 1, `${ended.stdout}\n${ended.stderr}`);
  // Written by the command.
  const [found] = (JSON.parse(await readFile(report, 'utf8')) as Report).engines;
  const [{ verdict, reason, targets } = { verdict: '', reason: '', targets: [] }] = found?.experiments ?? [];
  assert.equal(verdict, 'Error');
  assert.match(
    reason,
    /^could not do its work on a target's node: cannot note on node turnsole-1 what is about to be injected there, so that nothing was: .*ENOSPC/,
  );
  assert.deepEqual(targets, []);
  const steps = (found?.timeline ?? []).map(({ step }) => step);
  assert.ok(steps.includes('HelperCreated'));
  assert.deepEqual(
    steps.filter((step) => ['ChaosStarted', 'Injected', 'Reverted', 'RecoveryStarted'].includes(step)),
    [],
  );
  assert.doesNotMatch(ended.stdout, /\.json/, 'no journal is left');
});

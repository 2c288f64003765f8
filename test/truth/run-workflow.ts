/** Runs a workflow as a user does, by `turnsole run`: its exit code is the verdict. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineVerdict } from '../../src/api/index.ts';
import { temporaryFolder, turnsole } from '../support/turnsole.ts';
import type { Evidence } from './judge.ts';
import { ACCOUNT, type Stage } from './stage.ts';

/** What the exit codes of `turnsole run` say; docs/errors.md has all of them. */
const VERDICTS: ReadonlyMap<number | null, EngineVerdict> = new Map([
  [0, 'Pass'],
  [1, 'Fail'],
  [2, 'Error'],
  [3, 'Error'],
]);

/** @param spec of the workflow */
export async function runWorkflow(
  spec: Readonly<Record<string, unknown>>,
  stage: Stage,
  namespace: string,
): Promise<Omit<Evidence, 'observed'>> {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'workflow.json');
  const workflow = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'run', namespace },
    spec: { serviceAccountName: ACCOUNT, ...spec },
  };
  await writeFile(file, JSON.stringify(workflow));
  const { code, stdout, stderr } = await turnsole([
    'run',
    file,
    '--kubeconfig',
    stage.kubeconfig,
    '--no-timeline',
  ]);
  const verdict = VERDICTS.get(code);
  return { result: undefined, reasons: [stdout, stderr], ...(verdict === undefined ? {} : { verdict }) };
}

import { withCode } from '../../../chaos/errors/row.ts';
import { EXIT } from '../../../process/exit-codes.ts';
import type { ClusterOptions } from '../../../runs/session/open-cluster.ts';
import { BadInputError, formatProblem, type InputProblem } from '../../../services/errors.ts';
import { type Manifest, selectManifests } from '../../../services/manifests/load.ts';
import { clusterLibrary, referenceText } from '../../../services/workflows/cluster-library.ts';
import { type CheckedWorkflows, checkWorkflows } from '../../../services/workflows/manifest-problems.ts';
import { isWorkflowKind, nameOf } from '../../../services/workflows/template-library.ts';
import { styleFor } from '../../print/style.ts';
import { onCluster } from './session.ts';

/** Options of `turnsole workflow lint`. */
export interface LintOptions extends ClusterOptions {
  readonly offline?: boolean;
  /** Whether unknown fields are problems. */
  readonly strict: boolean;
  readonly output: 'text' | 'json';
  /** Only problems of this kind's objects are shown; the others may hold what they refer to. */
  readonly kind?: string;
}

/** Says everything that is wrong with the workflows of files. */
export async function run(files: readonly string[], options: LintOptions): Promise<number> {
  const { manifests, problems: unreadable } = await selectManifests(files, isWorkflowKind);
  const checkedObjects = manifests.filter(
    ({ object }) => isWorkflowKind(object) && (options.kind === undefined || object.kind === options.kind),
  );
  if (checkedObjects.length === 0 && unreadable.length > 0) throw new BadInputError(unreadable);
  if (checkedObjects.length === 0) {
    const message = `no ${options.kind ?? 'Workflow, WorkflowTemplate or CronWorkflow'} found, so nothing was checked`;
    throw new BadInputError([{ file: files.join(' '), code: 'NOTHING_TO_RUN', message }]);
  }
  const checked = await check(manifests, options);
  const ofObjects = checked.problems.filter(({ file, object }) =>
    checkedObjects.some((one) => one.file === file && object?.startsWith(`${one.object.kind} `)),
  );
  const problems = [...unreadable, ...ofObjects];
  if (options.output === 'json') console.log(JSON.stringify(document(checkedObjects, problems), null, 2));
  else for (const line of lines(checkedObjects, problems, checked, options)) console.log(line);
  return problems.length === 0 ? EXIT.pass : EXIT.badInput;
}

/** The files alone with `--offline`, or when they hold everything that they refer to. */
async function check(manifests: readonly Manifest[], options: LintOptions): Promise<CheckedWorkflows> {
  const ofFiles = checkWorkflows(manifests, undefined, { isLint: true, isStrict: options.strict });
  if (options.offline === true || ofFiles.unresolved.length === 0) return ofFiles;
  let checked = ofFiles;
  await onCluster(options, async ({ client, namespace }, signal) => {
    const library = await clusterLibrary({ client, namespace, signal });
    checked = checkWorkflows(manifests, library, { isLint: true, isStrict: options.strict });
    return EXIT.pass;
  });
  return checked;
}

function document(checkedObjects: readonly Manifest[], problems: readonly InputProblem[]) {
  return {
    valid: problems.length === 0,
    objects: checkedObjects.map(({ file, line, object }) => ({
      file,
      line,
      kind: object.kind,
      name: nameOf(object),
    })),
    problems: problems.map(({ file, line, object, field, message, code }) => ({
      file,
      line,
      object,
      field,
      message,
      code,
    })),
  };
}

function lines(
  checkedObjects: readonly Manifest[],
  problems: readonly InputProblem[],
  { unresolved }: CheckedWorkflows,
  { offline = false }: LintOptions,
): string[] {
  const style = styleFor(process.stdout);
  const count = checkedObjects.length === 1 ? '1 object' : `${checkedObjects.length} objects`;
  if (problems.length === 0) return [`${style('green', '✔')} ${count}, nothing is wrong`];
  const places = offline ? 'the files' : 'the files and the cluster';
  return [
    ...problems.map((problem) => `${style('red', '✖')} ${withCode(formatProblem(problem), problem.code)}`),
    ...(unresolved.length === 0 ? [] : [`${places} have no ${unresolved.map(referenceText).join(', ')}`]),
    `${problems.length === 1 ? '1 problem' : `${problems.length} problems`} in ${count}`,
  ];
}

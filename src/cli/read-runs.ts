import { meansExisting } from '../runs/session/open-cluster.ts';
import { CommandError } from '../services/errors.ts';
import { type ReadManifests, readManifests } from '../services/manifests/read.ts';
import { projectPaths } from '../services/project/project-paths.ts';
import type { Project } from '../services/project/read-project.ts';
import { type ProposedContext, type ProposedOptions, readProposed } from './proposed-run.ts';

/**
 * What a command line and its project ask to run: manifests, or an experiment that stands on the command line.
 *
 * @throws CommandError when there is nothing, or something is wrong with it
 */
export async function readRuns(
  named: readonly string[],
  options: ProposedOptions,
  project: Project | undefined,
  context: ProposedContext,
): Promise<ReadManifests> {
  const isProposed = options.fault !== undefined;
  const isExisting = meansExisting(options);
  if (!isExisting && process.env['KUBECONFIG'] !== undefined)
    context.progress.step(
      'the cluster of KUBECONFIG is not used: this runs on an embedded one; --kubeconfig "$KUBECONFIG" takes that',
    );
  const { paths, left } = projectPaths(project, { named, isExisting, isProposed }, process.cwd());
  if (left.length > 0)
    context.progress.step(
      `${left.join(', ')} ${left.length === 1 ? 'is' : 'are'} not applied: the cluster has the application already`,
    );
  return (
    (await readProposed(paths, options, context)) ??
    (await readManifests(somePaths(paths, project), context.progress, context.read, options.recursive))
  );
}

function somePaths(paths: readonly string[], project: Project | undefined): readonly string[] {
  if (paths.length > 0) return paths;
  const what =
    project === undefined
      ? 'name manifests with engines, such as chaos/, or an experiment by --fault and --target'
      : `${project.file} names no experiments; name manifests with engines, or an experiment by --fault and --target`;
  throw new CommandError(
    `nothing to run: ${what}; "turnsole init" writes experiments for an application`,
    'OPTION_INVALID',
  );
}

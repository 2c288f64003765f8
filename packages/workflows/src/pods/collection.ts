import { isFetched } from '../artifacts/location.ts';
import type { ArtifactRepository } from '../artifacts/repository.ts';
import type { Template } from '../kinds/template.ts';
import type { WorkflowSpec } from '../kinds/workflow.ts';
import type { PodSettings } from './settings.ts';

/** What a node needs the helper for. */
export type HelperUse = 'fetch' | 'order' | 'retries' | 'sidecars' | 'result' | 'outputs' | 'logs';

/**
 * How what a node gives is read.
 *
 * - `none`: its exit code says everything.
 * - `log`: its only container is of our own image and prints the report.
 * - `helper`: a shell of ours runs the commands, for the uses named; docs/decisions/0029.
 *
 * The log of an image of others is never read for `outputs.result`: it mixes stdout with stderr.
 */
export type Collection =
  | { readonly kind: 'none' }
  | { readonly kind: 'log' }
  | { readonly kind: 'helper'; readonly uses: readonly HelperUse[] };

export interface CollectionFacts {
  readonly wantsResult: boolean;
  readonly archiveLogs: boolean;
}

/** Whether the logs of a node are kept: the word of its template counts first, then those of the workflow and of the controller. Pure. */
export function areLogsKept(
  { archiveLocation }: Template,
  spec: Pick<WorkflowSpec, 'archiveLogs'>,
  settings: Pick<PodSettings, 'archiveLogs'>,
  repository: ArtifactRepository | undefined,
): boolean {
  const given = archiveLocation?.archiveLogs ?? spec.archiveLogs ?? settings.archiveLogs;
  return given ?? repository?.archiveLogs ?? false;
}

/** How the outputs of a node are read. Pure. */
export function collection(template: Template, { wantsResult, archiveLogs }: CollectionFacts): Collection {
  if (template.data !== undefined) return { kind: 'log' };
  if (template.resource !== undefined) {
    const isReporting = wantsResult || (template.outputs?.parameters ?? []).length > 0;
    return { kind: isReporting ? 'log' : 'none' };
  }
  const needs: Readonly<Record<HelperUse, boolean>> = {
    fetch: (template.inputs?.artifacts ?? []).some(isFetched),
    order: isOrdered(template),
    retries: (template.containerSet?.retryStrategy?.retries ?? 0) !== 0,
    sidecars: (template.sidecars ?? []).length > 0,
    result: wantsResult,
    outputs: hasOutputFiles(template),
    logs: archiveLogs,
  };
  const uses = (Object.keys(needs) as HelperUse[]).filter((use) => needs[use]);
  return uses.length === 0 ? { kind: 'none' } : { kind: 'helper', uses };
}

/** Whether the pod of a node reports more than its end: the engine's option `mustReport`. */
export function mustReport(template: Template, facts: CollectionFacts): boolean {
  const how = collection(template, facts);
  return how.kind === 'log' || (how.kind === 'helper' && isCollecting(how.uses));
}

/** Whether something has to be read when the main containers have ended. */
export function isCollecting(uses: readonly HelperUse[]): boolean {
  return uses.some((use) => use === 'result' || use === 'outputs' || use === 'logs');
}

/** Whether commands are run by the helper's shell. */
export function isWrapping(uses: readonly HelperUse[]): boolean {
  return uses.some((use) => use !== 'fetch');
}

function isOrdered({ containerSet }: Template): boolean {
  return (containerSet?.containers ?? []).some(({ dependencies = [] }) => dependencies.length > 0);
}

function hasOutputFiles({ outputs }: Template): boolean {
  return (
    (outputs?.parameters ?? []).some(({ valueFrom }) => valueFrom?.path !== undefined) ||
    (outputs?.artifacts ?? []).some(({ path }) => path !== undefined)
  );
}

import { posix } from 'node:path';
import { locationOf } from '../artifacts/location.ts';
import type { Artifact } from '../kinds/parameters.ts';
import type { Template } from '../kinds/template.ts';
import type { TemplateTypeField } from '../kinds/template-type.ts';
import type { ProblemSink } from './problem.ts';

/** Templates that do something themselves. A suspension takes no artifacts. */
const LEAVES = new Set<TemplateTypeField>([
  'container',
  'containerSet',
  'script',
  'resource',
  'data',
  'http',
  'plugin',
]);

interface PlacedArtifact {
  readonly artifact: Artifact;
  /** Below the template: `.inputs.artifacts[0]`. */
  readonly field: string;
  /** The same in Argo's words. */
  readonly where: string;
}

/** The artifacts that a template takes and gives, their fields, and these in Argo's words. */
export function placedArtifacts({ inputs, outputs }: Template): PlacedArtifact[] {
  return Object.entries({ inputs, outputs }).flatMap(([direction, { artifacts = [] } = {}]) =>
    artifacts.map((artifact, index) => ({
      artifact,
      field: `.${direction}.artifacts[${index}]`,
      where: `.${direction}.artifacts.${artifact.name}`,
    })),
  );
}

/** Paths and sources of the artifacts that a template takes and gives. */
export function checkTemplateArtifacts(
  problems: ProblemSink,
  template: Template,
  type: TemplateTypeField,
  path: string,
): void {
  const name = `templates.${template.name ?? ''}`;
  for (const { artifact, field, where } of placedArtifacts(template)) {
    const problem = LEAVES.has(type) ? pathProblem(artifact) : undefined;
    if (problem !== undefined) problems.add(`${path}${field}.path`, `error in ${name}${where}: ${problem}`);
    if (!LEAVES.has(type) && (artifact.path ?? '') !== '')
      problems.add(`${path}${field}.path`, `${name}${where}.path only valid in container/script templates`);
    if (!field.startsWith('.inputs')) continue;
    if ((artifact.from ?? '') !== '')
      problems.add(`${path}${field}.from`, `${name}${where}.from not valid in inputs`);
    const location = locationOf(artifact);
    if (location?.kind === 'git' && (location.fields['repo'] ?? '') === '')
      problems.add(`${path}${field}.git.repo`, `${name}${where}.git.repo is required`);
  }
}

/** A path has to stay in the folder before its first `..`: parts of it may come from who runs the workflow. */
function pathProblem({ name, path = '' }: Artifact): string | undefined {
  if (path === '') return `Artifact '${name}' did not specify a path`;
  const safe = /^(.*?)\/\.\.(?:\/|$)/s.exec(path)?.[1] ?? '';
  if (safe === '') return undefined;
  const cleaned = posix.normalize(path).replace(/(?<=.)\/$/, '');
  const isInside = cleaned.startsWith(`${safe}/`) && cleaned.length > safe.length + 1;
  return isInside
    ? undefined
    : `Artifact '${name}' attempted to use a path containing '..'. Directory traversal is not permitted`;
}

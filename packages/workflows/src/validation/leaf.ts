import { DurationError, parseDuration } from '@turnsole/kube/text/duration';
import { parseLenient } from '@turnsole/kube/text/lenient-yaml';
import { isComplete, locationOf } from '../artifacts/location.ts';
import { locationProblem } from '../artifacts/support.ts';
import type { Template, TemplateContainer } from '../kinds/template.ts';
import { checkContainerSet } from './container-set.ts';
import type { Problems } from './problem.ts';
import { unknownTags } from './scope.ts';
import { placedArtifacts } from './template-artifacts.ts';
import type { VisitedTemplate } from './walk.ts';

const RESOURCE_ACTIONS = ['get', 'create', 'apply', 'delete', 'replace', 'patch'];
/** Flags and names say enough for these. */
const WITHOUT_MANIFEST = new Set(['get', 'delete']);
/** Containers that Argo's own pods have; a user's container of that name would take their place. */
const RESERVED_CONTAINERS = /^(?:wait|supervisor|artifact-plugin-.*)$/;

/** Reports a problem below the template: the field, and the sentence behind the template's name. */
type Report = (field: string, sentence: string) => void;

/** What holds for templates that run something themselves. */
export function checkLeaf(problems: Problems, visited: VisitedTemplate): void {
  const { template, found, prefix, scope } = visited;
  const where = `${prefix}templates.${template.name ?? ''}`;
  const report: Report = (field, sentence) => problems.add(`${found.path}${field}`, `${where}${sentence}`);
  for (const { path, tag } of unknownTags(template, scope)) report(path, `: failed to resolve ${tag}`);
  checkContainer(report, template.container, 'container');
  checkContainer(report, template.script, 'script');
  checkMounts(report, template);
  checkStores(report, template);
  checkResource(problems, report, template, found.path, where);
  checkContainerSet(problems, template, found.path, where);
  checkContainerNames(report, template);
  checkDeadline(report, template);
  checkDurations(report, template);
  if (template.parallelism !== undefined)
    report('.parallelism', '.parallelism is only valid for steps and dag templates');
}

function checkContainer(report: Report, container: TemplateContainer | undefined, field: string): void {
  if (container !== undefined && (container.image ?? '') === '')
    report(`.${field}.image`, `.${field}.image may not be empty`);
}

/** A path can hold one volume or one artifact. */
function checkMounts(report: Report, { container, script, inputs }: Template): void {
  const field = container === undefined ? 'script' : 'container';
  const mounts = (container ?? script)?.volumeMounts ?? [];
  const taken = new Map<string, string>();
  const take = (place: string, path: string, what: string, name: string) => {
    const before = taken.get(path);
    if (before !== undefined)
      report(`${place}.${what}`, `${place}.${what} '${path}' already mounted in ${before}`);
    taken.set(path, name);
  };
  for (const [index, { name, mountPath }] of mounts.entries())
    take(`.${field}.volumeMounts[${index}]`, mountPath, 'mountPath', `${field}.volumeMounts.${name}`);
  for (const [index, { name, path }] of (inputs?.artifacts ?? []).entries()) {
    if (path !== undefined) take(`.inputs.artifacts[${index}]`, path, 'path', `inputs.artifacts.${name}`);
  }
}

/** A location that says which store it means has to be one that can be reached; others are completed by the repository. */
function checkStores(report: Report, template: Template): void {
  for (const { artifact, field, where } of placedArtifacts(template)) {
    const location = locationOf(artifact);
    if (location === undefined || !isComplete(location)) continue;
    const problem = locationProblem(location);
    if (problem !== undefined) report(field, `${where}: ${problem}`);
  }
}

function checkResource(
  problems: Problems,
  report: Report,
  { resource, inputs }: Template,
  path: string,
  where: string,
): void {
  if (resource === undefined) return;
  const { action = '', manifest = '', manifestFrom } = resource;
  if (!action.includes('{{') && !RESOURCE_ACTIONS.includes(action))
    report('.resource.action', `.resource.action must be one of: ${RESOURCE_ACTIONS.join(', ')}`);
  if (WITHOUT_MANIFEST.has(action)) return;
  if (manifest === '' && manifestFrom === undefined)
    problems.add(
      `${path}.resource.manifest`,
      `either ${where}.resource.manifest or ${where}.resource.manifestFrom must be specified`,
    );
  if (manifest !== '' && manifestFrom !== undefined)
    problems.add(
      `${path}.resource.manifestFrom`,
      "shouldn't have both `manifest` and `manifestFrom` specified in `Manifest` for resource template",
    );
  const artifact = manifestFrom?.artifact?.name;
  if (artifact !== undefined && !inputs?.artifacts?.some(({ name }) => name === artifact))
    problems.add(
      `${path}.resource.manifestFrom.artifact`,
      `artifact ${artifact} in \`manifestFrom\` refer to a non-exist artifact`,
    );
  if (typeof manifest === 'string' && !isYaml(manifest))
    report('.resource.manifest', '.resource.manifest must be a valid yaml');
}

/** Whether a text can be YAML once its tags are filled in. */
function isYaml(text: string): boolean {
  const { documents } = parseLenient(text.replaceAll(/\{\{.*?\}\}/gs, 'x'));
  return documents.every(({ errors }) => errors.length === 0);
}

function checkContainerNames(report: Report, { sidecars, containerSet }: Template): void {
  const lists = { sidecars, 'containerSet.containers': containerSet?.containers };
  for (const [field, containers] of Object.entries(lists)) {
    for (const [index, { name = '' }] of (containers ?? []).entries()) {
      if (RESERVED_CONTAINERS.test(name))
        report(`.${field}[${index}].name`, `.${field}: "${name}" is a reserved Argo container name`);
    }
  }
}

function checkDeadline(report: Report, { activeDeadlineSeconds: seconds }: Template): void {
  if (seconds === undefined || (typeof seconds === 'string' && seconds.includes('{{'))) return;
  const amount = Number(seconds);
  if (!Number.isInteger(amount) || amount <= 0)
    report(
      '.activeDeadlineSeconds',
      '.activeDeadlineSeconds must be a positive integer > 0 or an argo variable',
    );
}

/** The value of a tag is known only when its node begins. A bare number is seconds where a template suspends. */
function checkDurations(report: Report, { timeout, pendingTimeout, suspend, memoize }: Template): void {
  const bare = String(suspend?.duration ?? '');
  const duration = /^\d+$/.test(bare) ? `${bare}s` : bare;
  for (const [field, text] of Object.entries({
    timeout,
    pendingTimeout,
    'suspend.duration': duration,
    'memoize.maxAge': memoize?.maxAge,
  })) {
    if (typeof text !== 'string' || text.includes('{{')) continue;
    try {
      parseDuration(text);
    } catch (error) {
      if (!(error instanceof DurationError)) throw error;
      report(`.${field}`, `.${field}: ${error.message}`);
    }
  }
}

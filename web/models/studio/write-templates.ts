import { isJson, type Json, listAt, objectAt, textAt, withAt } from '../json/json.ts';
import type { Draft, Fault, Step } from './draft.ts';
import { newFaultTemplate, newInstaller } from './new-workflow.ts';
import { INSTALL, type WorkflowParts, type YamlForm } from './workflow-parts.ts';
import { namedEngine, withStep } from './write-engine.ts';

/** Inputs for the templates. */
interface Wanted {
  readonly draft: Draft;
  readonly steps: readonly (readonly Json[])[];
}

/** The templates of a workflow with the steps of a draft: without those of removed faults, with new ones at the end. Pure. */
export function withTemplates(parts: WorkflowParts, wanted: Wanted, yaml: YamlForm): Json[] {
  const { draft } = wanted;
  const present = listAt(parts.spec, 'templates').filter(isJson);
  const installer = installerFor(parts, present, draft.steps, yaml);
  // A new template that installs faults is the first step.
  const steps =
    installer !== undefined && parts.installer === undefined
      ? [[{ name: INSTALL, template: INSTALL }], ...wanted.steps]
      : wanted.steps;
  const added = draft.steps
    .filter(({ name }) => !parts.engines.has(name))
    .map((step) => newFaultTemplate(draft, step, yaml));
  const further = [
    ...(parts.installer === undefined && installer !== undefined ? [installer] : []),
    ...added,
  ];
  const last = Math.max(
    present.indexOf(parts.entry),
    present.findLastIndex(({ name }) => name === parts.installer || parts.engines.has(String(name))),
  );
  return present.flatMap((template, place): Json[] => {
    const changed = changedTemplate(template, { ...wanted, steps }, parts, installer, yaml);
    return [...changed, ...(place === last ? further : [])];
  });
}

/** The new form of a template; none if its step was removed. */
function changedTemplate(
  template: Json,
  { draft, steps }: Wanted,
  parts: WorkflowParts,
  installer: Json | undefined,
  yaml: YamlForm,
): Json[] {
  const name = textAt(template, 'name');
  if (template === parts.entry) return [{ ...template, steps }];
  if (name === parts.installer) return [installer ?? template];
  const found = parts.engines.get(name);
  if (found === undefined) return [template];
  const step = draft.steps.find((one) => one.name === name);
  if (step === undefined) return [];
  const engine = namedEngine(withStep(found.engine, step), draft.name);
  return [withWeight(withText(template, found.artifact, yaml.change(found.text, engine)), step.weight)];
}

function withText(template: Json, artifact: number, data: string): Json {
  const artifacts = listAt(template, 'inputs', 'artifacts').map((one, place) =>
    place === artifact && isJson(one) ? withAt(one, ['raw', 'data'], data) : one,
  );
  return withAt(template, ['inputs', 'artifacts'], artifacts);
}

function withWeight(template: Json, weight: number): Json {
  const before = objectAt(template, 'metadata', 'labels').weight;
  const isSame = weight === (before === undefined || before === '' ? 10 : Number(before));
  return isSame ? template : withAt(template, ['metadata', 'labels', 'weight'], String(weight));
}

/** The template that installs each fault once, however many steps use it; undefined if there is nothing to install. */
function installerFor(
  { installer, installed }: WorkflowParts,
  present: readonly Json[],
  steps: readonly Step[],
  yaml: YamlForm,
): Json | undefined {
  const before = present.find(({ name }) => name === installer);
  const faults = new Map(steps.map(({ fault }) => [fault.name, fault]));
  const added = [...faults.values()].filter(
    ({ name, resource }) => !installed.has(name) && Object.keys(resource).length > 0,
  );
  const gone = [...installed.keys()].filter((name) => !faults.has(name));
  if (added.length === 0 && gone.length === 0) return before;
  return installing(before ?? newInstaller(), added, gone, yaml);
}

function installing(template: Json, added: readonly Fault[], gone: readonly string[], yaml: YamlForm): Json {
  const artifacts = listAt(template, 'inputs', 'artifacts').filter(isJson);
  const isGone = (artifact: Json): boolean => {
    const resource = yaml.read(textAt(artifact, 'raw', 'data'));
    return gone.includes(textAt(resource, 'metadata', 'name'));
  };
  const leaving = artifacts.filter(isGone).map((artifact) => textAt(artifact, 'path'));
  const further = added.map(({ name, resource }) => ({
    name,
    path: `/tmp/${name}.yaml`,
    raw: { data: yaml.write(resource) },
  }));
  const paths = further.map(({ path }) => path);
  const args = listAt(template, 'container', 'args').map((arg) =>
    typeof arg === 'string' ? withFiles(arg, leaving, paths) : arg,
  );
  const changed = withAt(
    template,
    ['inputs', 'artifacts'],
    [...artifacts.filter((artifact) => !isGone(artifact)), ...further],
  );
  return withAt(changed, ['container', 'args'], args);
}

/** Updates a command that names each file; one that names their folder stays. */
function withFiles(command: string, leaving: readonly string[], added: readonly string[]): string {
  const without = command.replace(/ -f (\S+)/g, (option, file: string) =>
    leaving.some((path) => file.endsWith(path)) ? '' : option,
  );
  if (/ -f \/tmp\/?(?!\S)/.test(command)) return without;
  const files = added.map((path) => ` -f $TURNSOLE_POD_ROOT${path}`).join('');
  return without.replace(/\bapply((?: -f \S+)*)/, (_match, present: string) => `apply${present}${files}`);
}

import { isJson, type Json, listAt, objectAt, textAt } from '../json/json.ts';

/** YAML operations for the model. */
export interface YamlForm {
  /** The object in a text, with its tags as text; undefined if there is none or it is unreadable. */
  read(text: string): unknown;
  /** The text of an object. */
  write(value: object): string;
  /** The text with another object: comments, order and tags of unchanged parts stay. */
  change(text: string, after: object): string;
}

/** A template that creates an engine. */
interface EngineTemplate {
  readonly template: Json;
  /** Index of the artifact with the engine. */
  readonly artifact: number;
  readonly text: string;
  readonly engine: Json;
}

/** A workflow in the form: sequential or parallel faults, with other steps before and after them that are kept. */
export interface WorkflowParts {
  readonly isCron: boolean;
  /** Spec of the workflow, also in a CronWorkflow. */
  readonly spec: Json;
  /** The entrypoint template. */
  readonly entry: Json;
  /** Steps before the first fault, of the faults, and after the last one. */
  readonly before: readonly (readonly Json[])[];
  readonly groups: readonly (readonly Json[])[];
  readonly after: readonly (readonly Json[])[];
  /** By name of the template. */
  readonly engines: ReadonlyMap<string, EngineTemplate>;
  /** Name of the template that installs faults; undefined if none does. */
  readonly installer: string | undefined;
  /** Resources of kind ChaosExperiment that it installs, by name. */
  readonly installed: ReadonlyMap<string, Json>;
}

/** Why the form cannot show a manifest, as a sentence. */
export interface Unknown {
  readonly reason: string;
}

/** Name of a template that installs faults, if the form has created it. */
export const INSTALL = 'install-chaos-faults';

/** Splits a manifest into its parts. Pure. */
export function partsOf(object: Json, yaml: YamlForm): WorkflowParts | Unknown {
  const kind = textAt(object, 'kind');
  if (kind !== 'Workflow' && kind !== 'CronWorkflow') {
    return { reason: `It is of kind ${kind === '' ? 'nothing' : kind}; the form makes workflows.` };
  }
  const isCron = kind === 'CronWorkflow';
  if (isCron && listAt(object, 'spec', 'schedules').length > 1) {
    return { reason: 'It has several schedules; the form has a place for one.' };
  }
  const spec = isCron ? objectAt(object, 'spec', 'workflowSpec') : objectAt(object, 'spec');
  const templates = listAt(spec, 'templates').filter(isJson);
  const name = textAt(spec, 'entrypoint');
  const entry = templates.find((template) => textAt(template, 'name') === name);
  if (entry === undefined)
    return { reason: `It has no template with the name of its entrypoint, "${name}".` };
  if (!Array.isArray(entry.steps)) {
    return { reason: `Its entrypoint ${name} has no steps; the form supports sequential steps only.` };
  }
  return partsOfSteps(entry.steps, { isCron, spec, entry, templates }, yaml);
}

function partsOfSteps(
  listed: readonly unknown[],
  { templates, ...known }: Pick<WorkflowParts, 'isCron' | 'spec' | 'entry'> & { templates: readonly Json[] },
  yaml: YamlForm,
): WorkflowParts | Unknown {
  const steps = listed.map((group) => (Array.isArray(group) ? group : [group]).filter(isJson));
  const used = steps.flat().map((step) => textAt(step, 'template'));
  const others = templates.filter((template) => template !== known.entry);
  const engines = new Map(
    others.flatMap((template) => {
      const found = used.includes(textAt(template, 'name')) ? engineIn(template, yaml) : undefined;
      return found === undefined ? [] : [[textAt(template, 'name'), found] as const];
    }),
  );
  const installed = new Map<string, Json>();
  const installer = others.find((template) => {
    const resources = resourcesIn(template, yaml);
    for (const resource of resources) installed.set(textAt(resource, 'metadata', 'name'), resource);
    return resources.length > 0 || template.name === INSTALL;
  });
  const isEngine = (step: Json): boolean => engines.has(textAt(step, 'template'));
  const from = steps.findIndex((group) => group.some(isEngine));
  const to = steps.findLastIndex((group) => group.some(isEngine)) + 1;
  // Without a fault, the place for one is after the installer.
  const place = steps.findIndex((group) => group.some((step) => step.template === installer?.name)) + 1;
  const parts: WorkflowParts = {
    ...known,
    before: steps.slice(0, from < 0 ? place : from),
    groups: from < 0 ? [] : steps.slice(from, to),
    after: steps.slice(from < 0 ? place : to),
    engines,
    installer: installer === undefined ? undefined : textAt(installer, 'name'),
    installed,
  };
  const reason = whyNot(parts, isEngine);
  return reason === undefined ? parts : { reason };
}

function whyNot({ groups, engines }: WorkflowParts, isEngine: (step: Json) => boolean): string | undefined {
  const steps = groups.flat();
  const other = steps.find((step) => !isEngine(step));
  if (other !== undefined) {
    return `Between its faults is a step without a fault: ${textAt(other, 'name')}.`;
  }
  const names = steps.map((step) => textAt(step, 'template'));
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) return `Two steps use the template ${twice}; in the form each has its own.`;
  const several = [...engines].find(([, { engine }]) => listAt(engine, 'spec', 'experiments').length !== 1);
  return several === undefined ? undefined : `The engine of step ${several[0]} has not exactly one fault.`;
}

function engineIn(template: Json, yaml: YamlForm): EngineTemplate | undefined {
  for (const [artifact, text] of textsIn(template).entries()) {
    if (!/\bkind\W+ChaosEngine\b/.test(text)) continue;
    const engine = yaml.read(text);
    if (isJson(engine) && engine.kind === 'ChaosEngine') return { template, artifact, text, engine };
  }
  return undefined;
}

function resourcesIn(template: Json, yaml: YamlForm): Json[] {
  return textsIn(template)
    .filter((text) => /\bkind\W+ChaosExperiment\b/.test(text))
    .map((text) => yaml.read(text))
    .filter(isJson)
    .filter(({ kind }) => kind === 'ChaosExperiment');
}

/** The texts of a template's artifacts, by index. */
function textsIn(template: Json): string[] {
  return listAt(template, 'inputs', 'artifacts').map((artifact) => textAt(artifact, 'raw', 'data'));
}

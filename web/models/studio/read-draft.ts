import { isJson, type Json, listAt, objectAt, textAt } from '../json/json.ts';
import type { About, Draft, ProbeReference, Step } from './draft.ts';
import { envOf, faultOf } from './read-fault.ts';
import { partsOf, type Unknown, type WorkflowParts, type YamlForm } from './workflow-parts.ts';

/** A manifest in the form. */
interface ShownDraft {
  readonly draft: Draft;
  /** Values of the workflow's parameters, to which texts of the form may refer by tags. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Names of steps that the form keeps without showing them. */
  readonly kept: readonly string[];
  /** Number of probes in the engine itself, by step. */
  readonly ownProbes: ReadonlyMap<string, number>;
}

/** Reads a manifest into the form, or returns why the form cannot show it. Pure. */
export function readDraft(object: Json, about: About, yaml: YamlForm): ShownDraft | Unknown {
  const parts = partsOf(object, yaml);
  if ('reason' in parts) return parts;
  const draft: Draft = {
    ...about,
    name: textAt(object, 'metadata', 'name'),
    agentNamespace: textAt(object, 'metadata', 'namespace'),
    cron: parts.isCron ? scheduleOf(object) : '',
    timezone: parts.isCron ? textAt(object, 'spec', 'timezone') : '',
    steps: parts.groups.flatMap((group) =>
      group.map((step, place) => stepOf(textAt(step, 'template'), place > 0, parts)),
    ),
  };
  return {
    draft,
    parameters: parametersOf(parts.spec),
    kept: [...parts.before, ...parts.after].flat().map((step) => textAt(step, 'name')),
    ownProbes: new Map(
      [...parts.engines].map(([name, { engine }]) => {
        const [experiment] = listAt(engine, 'spec', 'experiments');
        return [name, listAt(experiment, 'spec', 'probe').length];
      }),
    ),
  };
}

function stepOf(name: string, isParallel: boolean, { engines, installed }: WorkflowParts): Step {
  const { engine = {}, template = {} } = engines.get(name) ?? {};
  const [experiment] = listAt(engine, 'spec', 'experiments');
  const fault = faultOf(textAt(experiment, 'name'), installed.get(textAt(experiment, 'name')), engine);
  const appinfo = objectAt(engine, 'spec', 'appinfo');
  const weight = objectAt(template, 'metadata', 'labels').weight;
  return {
    name,
    fault,
    target: {
      namespace: textAt(appinfo, 'appns'),
      kind: textAt(appinfo, 'appkind'),
      label: textAt(appinfo, 'applabel'),
    },
    settings: Object.fromEntries([...fault.defaults, ...envOf(engine)]),
    probes: probesOf(engine),
    weight: weight === undefined || weight === '' ? 10 : Number(weight),
    isParallel,
  };
}

function scheduleOf(object: Json): string {
  const [first] = listAt(object, 'spec', 'schedules');
  return textAt(object, 'spec', 'schedule') || (typeof first === 'string' ? first : '');
}

function probesOf(engine: Json): ProbeReference[] {
  try {
    const value: unknown = JSON.parse(textAt(engine, 'metadata', 'annotations', 'probeRef'));
    if (!Array.isArray(value)) return [];
    return value.filter(isJson).map((one) => ({ name: textAt(one, 'name'), mode: textAt(one, 'mode') }));
  } catch {
    // Missing or unreadable: the server refuses that on saving.
    return [];
  }
}

function parametersOf(spec: Json): ReadonlyMap<string, string> {
  return new Map(
    listAt(spec, 'arguments', 'parameters')
      .filter(isJson)
      .map(({ name, value }) => [String(name), String(value ?? '')]),
  );
}

/** A text with the tags of the workflow's parameters replaced by their values. */
export function withoutTags(text: string, parameters: ReadonlyMap<string, string>): string {
  return text.replace(
    /\{\{\s*workflow\.parameters\.([\w-]+)\s*\}\}/g,
    (tag, name: string) => parameters.get(name) ?? tag,
  );
}

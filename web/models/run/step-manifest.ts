/** What an experiment's manifest says of a step. */
interface StepManifest {
  /** What the text is: an engine that the step makes, the step's template, or the whole manifest. */
  readonly what: 'engine' | 'template' | 'manifest';
  /** YAML of an engine as it was written; else JSON. */
  readonly text: string;
}

type Bag = Readonly<Record<string, unknown>>;

/**
 * The part of a manifest (JSON text) that makes a step: the engine in its template, which has its settings; else the template; of what is no
 * workflow everything. Undefined for a text that is no manifest, and for a step that it does not name. Pure.
 */
export function stepManifest(manifest: string, step: string): StepManifest | undefined {
  const whole = parsed(manifest);
  if (whole === undefined) return undefined;
  const spec = bag(bag(whole.spec).workflowSpec ?? whole.spec);
  if (!Array.isArray(spec.templates)) return { what: 'manifest', text: JSON.stringify(whole, null, 2) };
  const template = spec.templates.map(bag).find(({ name }) => name === step);
  if (template === undefined) return undefined;
  const artifacts = bag(template.inputs).artifacts;
  const engine = (Array.isArray(artifacts) ? artifacts : [])
    .map((artifact) => bag(bag(artifact).raw).data)
    .find((data) => typeof data === 'string' && /^kind:\s*["']?ChaosEngine/m.test(data));
  return typeof engine === 'string'
    ? { what: 'engine', text: engine }
    : { what: 'template', text: JSON.stringify(template, null, 2) };
}

function parsed(text: string): Bag | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Bag) : undefined;
  } catch {
    return undefined;
  }
}

function bag(value: unknown): Bag {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Bag) : {};
}

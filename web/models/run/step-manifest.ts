/** The part of an experiment's manifest for a step. */
interface StepManifest {
  /** Kind of the text: the step's engine, its template, or the whole manifest. */
  readonly what: 'engine' | 'template' | 'manifest';
  /** YAML of an engine as it was written; else JSON. */
  readonly text: string;
}

type Bag = Readonly<Record<string, unknown>>;

/**
 * The part of a manifest (JSON text) for a step: the engine in its template, which has its settings; else the template; the whole manifest
 * if it is no workflow. Undefined for a text that is no manifest, and for an unknown step. Pure.
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

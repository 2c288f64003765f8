import { CUSTOM_RESOURCES } from '../../../api/crds.ts';
import { CHAOS_ENGINES, type ChaosEngine } from '../../../api/index.ts';
import { explainFieldError, validate, validateEngine } from '../../../api/validation/index.ts';

/** Problems beyond this many are counted, not listed: they stand in an Event, which holds a kilobyte. */
const LISTED_PROBLEMS = 5;

/**
 * Problems of an engine's spec, each with the path of its field; empty when it can be run. Structure first: a
 * cluster's CRD may be an older one that lets more through, and only a well-formed spec can be judged further. Pure.
 */
export function engineProblems(engine: ChaosEngine): string[] {
  const schema = CUSTOM_RESOURCES.find(({ resource }) => resource === CHAOS_ENGINES)?.schema;
  const { apiVersion, kind, metadata, spec } = engine;
  const structural = schema === undefined ? [] : validate(schema, { apiVersion, kind, metadata, spec });
  const problems = structural.length > 0 ? structural : validateEngine(engine);
  return problems.map((error) => explainFieldError(error, engine));
}

/** Problems as one sentence for an Event or a condition. Pure. */
export function problemsText(problems: readonly string[]): string {
  const listed = problems.slice(0, LISTED_PROBLEMS).join('; ');
  const more = problems.length - LISTED_PROBLEMS;
  return more > 0 ? `${listed}; and ${more} more` : listed;
}

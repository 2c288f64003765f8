import type { Fault, HubFault } from './draft.ts';
import { isJson, listAt, objectAt, textAt } from './json.ts';

/**
 * Reads a fault from the files that a hub has of it, which are parsed already. What is missing or of another type is left out.
 *
 * @param resource of kind ChaosExperiment
 * @param engine of kind ChaosEngine, that uses it
 */
export function readFault(name: string, resource: unknown, engine: unknown): HubFault {
  return { ...faultOf(name, resource, engine), suggested: envOf(engine) };
}

/** A fault as its resource and an engine of it have it. */
export function faultOf(name: string, resource: unknown, engine: unknown): Fault {
  return {
    name,
    description: textAt(resource, 'description', 'message').trim(),
    resource: isJson(resource) ? resource : {},
    defaults: valuesOf(listAt(resource, 'spec', 'definition', 'env')),
    hasTarget: isJson(objectAt(engine, 'spec').appinfo),
  };
}

/** What an engine sets, by name; what comes from elsewhere (`valueFrom`) is not among it. */
export function envOf(engine: unknown): ReadonlyMap<string, string> {
  const [experiment] = listAt(engine, 'spec', 'experiments');
  return valuesOf(listAt(experiment, 'spec', 'components', 'env'));
}

function valuesOf(env: readonly unknown[]): ReadonlyMap<string, string> {
  return new Map(
    env
      .filter(isJson)
      .filter(({ name, valueFrom }) => typeof name === 'string' && valueFrom === undefined)
      .map(({ name, value }) => [String(name), value === undefined || value === null ? '' : String(value)]),
  );
}

import { isJson, listAt, objectAt, textAt } from '../json/json.ts';
import type { Fault, HubFault } from './draft.ts';

/**
 * Reads a fault from the parsed files of a hub. Leaves out missing fields and those of another type.
 *
 * @param resource of kind ChaosExperiment
 * @param engine of kind ChaosEngine, that uses it
 */
export function readFault(name: string, resource: unknown, engine: unknown): HubFault {
  return { ...faultOf(name, resource, engine), suggested: envOf(engine) };
}

/** A fault from its resource and an engine. */
export function faultOf(name: string, resource: unknown, engine: unknown): Fault {
  return {
    name,
    description: textAt(resource, 'description', 'message').trim(),
    resource: isJson(resource) ? resource : {},
    defaults: valuesOf(listAt(resource, 'spec', 'definition', 'env')),
    hasTarget: isJson(objectAt(engine, 'spec').appinfo),
  };
}

/** The settings of an engine by name, without those from elsewhere (`valueFrom`). */
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

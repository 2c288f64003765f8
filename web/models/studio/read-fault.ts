import type { Fault } from './draft.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads a fault from the files that a hub has of it, which are parsed already. What is missing or of another type is left out.
 *
 * @param resource of kind ChaosExperiment
 * @param engine of kind ChaosEngine, that uses it
 */
export function readFault(name: string, resource: unknown, engine: unknown): Fault {
  const [entry] = list(at(at(engine, 'spec'), 'experiments'));
  return {
    name,
    description: String(at(at(resource, 'description'), 'message') ?? '').trim(),
    resource: isJson(resource) ? resource : {},
    defaults: settings(at(at(at(resource, 'spec'), 'definition'), 'env')),
    suggested: settings(at(at(at(entry, 'spec'), 'components'), 'env')),
    hasTarget: at(at(engine, 'spec'), 'appinfo') !== undefined,
  };
}

function settings(env: unknown): ReadonlyMap<string, string> {
  return new Map(
    list(env).flatMap((one) => {
      const [name, value] = [at(one, 'name'), at(one, 'value')];
      return typeof name === 'string' ? [[name, typeof value === 'string' ? value : ''] as const] : [];
    }),
  );
}

function at(value: unknown, key: string): unknown {
  return isJson(value) ? value[key] : undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

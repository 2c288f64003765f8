import { isJson } from '../json/json.ts';

/**
 * An engine or a workflow in the state of a new start: an ended or stopped engine is active, without results of its run.
 * Other values stay as they are. Pure.
 */
export function begunAgain(object: unknown): unknown {
  if (!isJson(object) || !isJson(object.spec)) return object;
  const { status, spec, ...rest } = object;
  const { shutdown, suspend, ...own } = spec;
  return { ...rest, spec: object.kind === 'ChaosEngine' ? { ...spec, engineState: 'active' } : own };
}

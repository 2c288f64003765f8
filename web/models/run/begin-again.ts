/**
 * An engine or a workflow as it would begin again: an engine that has ended, or was stopped, is active, and nothing that came of it is left.
 * What is no such object stays as it is. Pure.
 */
export function begunAgain(object: unknown): unknown {
  if (!isRecord(object) || !isRecord(object.spec)) return object;
  const { status, spec, ...rest } = object;
  const { shutdown, suspend, ...own } = spec;
  return { ...rest, spec: object.kind === 'ChaosEngine' ? { ...spec, engineState: 'active' } : own };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

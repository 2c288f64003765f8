import { isObject, parseJson } from '@turnsole/kube/text/json';

/** The part of the life of an experiment in which what an `errorOutput.reason` tells of happened; undefined where it does not say, or says several. Pure. */
export function errorPhaseOf(reason: string): string | undefined {
  const parsed = parseJson(reason);
  const phases = new Set(
    (Array.isArray(parsed) ? parsed : [parsed]).map((one) => (isObject(one) ? one.phase : undefined)),
  );
  const [phase] = phases;
  return phases.size === 1 && typeof phase === 'string' && phase !== '' ? phase : undefined;
}

import { isObject, parseJson } from '@turnsole/kube/text/json';

/** Turns upstream's `errorOutput.reason` (JSON in a text) into a sentence. */
export function readableError(code: string | undefined, reason: string): string {
  try {
    const parsed = JSON.parse(reason) as { reason?: string; target?: string; errorCode?: string };
    const target = parsed.target === undefined ? '' : ` (${parsed.target})`;
    return `${parsed.errorCode ?? code ?? 'error'}: ${parsed.reason ?? reason}${target}`;
  } catch {
    return code === undefined || code === '' ? reason : `${code}: ${reason}`;
  }
}

/** The part of the life of an experiment in which what an `errorOutput.reason` tells of happened; undefined where it does not say, or says several. Pure. */
export function errorPhaseOf(reason: string): string | undefined {
  const parsed = parseJson(reason);
  const phases = new Set(
    (Array.isArray(parsed) ? parsed : [parsed]).map((one) => (isObject(one) ? one.phase : undefined)),
  );
  const [phase] = phases;
  return phases.size === 1 && typeof phase === 'string' && phase !== '' ? phase : undefined;
}

import { suggest } from '@turnsole/kube/schema/suggest';
import { isObject } from '@turnsole/kube/text/json';
import { PROBE_TYPES } from '../probe-types/index.ts';

/** For `findUnknownFields`: a list of probes under another name is meant to be `probe`; LitmusChaos once had a list per type. Pure. */
export function fieldMeant(key: string, value: unknown): string | undefined {
  return areProbes(key, value) ? 'probe' : undefined;
}

function areProbes(key: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (suggest(key, PROBE_TYPES) !== undefined || /^probes?$/i.test(key)) return true;
  return (
    Array.isArray(value) &&
    value.some(
      (item) =>
        isObject(item) &&
        (PROBE_TYPES.some((type) => type === item.type) ||
          Object.keys(item).some((name) => name.endsWith('Probe/inputs'))),
    )
  );
}

import type { InjectionEffect } from '../../api/index.ts';

/** What k6 counts also when a script sends nothing. */
const PASSIVE =
  /^(data_(received|sent)|iterations?|iteration_duration|dropped_iterations|vus(_max)?|group_duration|checks(_total|_succeeded|_failed)?)$/;

/**
 * The effect by the summary at the end of k6's log; undefined without one, or when it has metrics of extensions, whose
 * traffic k6 does not count as its own. Pure.
 */
export function k6Effect(log: string): InjectionEffect | undefined {
  const metrics = new Map(
    [...log.matchAll(/^\s*([a-z][a-z0-9_]*)\.*: *(.*)$/gm)].map(([, name = '', value = '']) => [
      name,
      value.trim(),
    ]),
  );
  const requests = /^\d+/.exec(metrics.get('http_reqs') ?? '')?.[0];
  if (requests !== undefined) {
    return Number(requests) > 0
      ? { seen: true, message: `k6 made ${requests} HTTP requests` }
      : { seen: false, message: 'k6 made no HTTP request; look at its script' };
  }
  const sent = metrics.get('data_sent');
  if (sent === undefined || ![...metrics.keys()].every((name) => PASSIVE.test(name))) return undefined;
  return /^0 B\b/.test(sent)
    ? {
        seen: false,
        message: 'k6 sent nothing; look at its script, and whether it came to its first iteration',
      }
    : { seen: true, message: `k6 sent ${sent}` };
}

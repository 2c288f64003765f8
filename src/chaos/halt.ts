import type { ConfigMap } from '@turnsole/kube/kinds/core';

/** Name of the config map that is the safety lever: while it exists, no chaos runs where it applies. */
export const HALT_NAME = 'turnsole-halt';
/** A lever in this namespace halts the whole cluster; a lever in another namespace halts only that one. */
export const HALT_NAMESPACE = 'kube-system';
/** Reason of the condition Runnable of an engine that waits for the lever to be released. */
export const REASON_HALTED = 'Halted';

/** A lever that is pulled. */
export interface Halt {
  readonly scope: 'cluster' | 'namespace';
  readonly namespace: string;
  readonly reason: string;
  readonly by: string;
  /** RFC 3339. */
  readonly since: string;
}

/** The lever that a config map is. */
export function haltOf({ metadata, data }: ConfigMap): Halt {
  const { namespace = '', creationTimestamp = '' } = metadata;
  return {
    scope: namespace === HALT_NAMESPACE ? 'cluster' : 'namespace',
    namespace,
    reason: data?.reason ?? '',
    by: data?.by ?? '',
    since: data?.since ?? creationTimestamp,
  };
}

/** Says that and why chaos is halted, and how it goes on. */
export function describeHalt({ scope, namespace, reason, by, since }: Halt): string {
  const where = scope === 'cluster' ? 'in the whole cluster' : `in namespace ${namespace}`;
  const who = by === '' ? '' : ` by ${by}`;
  const why = reason === '' ? '' : `: ${reason}`;
  const how = scope === 'cluster' ? 'turnsole resume' : `turnsole resume -n ${namespace}`;
  return `chaos is halted ${where} since ${since}${who}${why} (released by: ${how})`;
}

import type { ChaosEngine } from '../api/schema/engine.ts';

/**
 * The TARGETS text that runner and experiment read: entries `kind:namespace:[names or labels]` joined by `;`. Selectors
 * win over appinfo; without either it is empty. Pure; the format is that of the compatibility reference.
 *
 * An `appinfo` that is there but says nothing, as in the engines of upstream's charts, means every workload of the
 * engine's own namespace. Upstream hands on an empty text for it, with which no experiment can run.
 */
export function targetsOfEngine({ metadata, spec }: Pick<ChaosEngine, 'metadata' | 'spec'>): string {
  const { selectors, appinfo } = spec;
  if (selectors !== undefined && selectors !== null) {
    const workloads = (selectors.workloads ?? []).map(({ kind, namespace, names, labels }) =>
      target(kind, namespace, names || labels || ''),
    );
    const pods = (selectors.pods ?? []).map(({ namespace, names }) => target('pod', namespace, names));
    return [...workloads, ...pods].join(';');
  }
  if (appinfo === undefined || appinfo === null) return '';
  const { appns, applabel, appkind } = appinfo;
  return target(appkind || 'KIND', appns || (metadata.namespace ?? ''), applabel ?? '');
}

function target(kind: string, namespace: string, filter: string): string {
  return `${kind}:${namespace}:[${filter}]`;
}

import type { ReadOptions } from './experiment.ts';
import type { PlanOptions } from './run-options.ts';

/** How an experiment is read with the manifests that its options bring. Pure. */
export function manifestsOf(
  { manifests = [], image }: PlanOptions,
  namespace: string,
  allowsStopped: boolean,
): ReadOptions {
  const texts = typeof manifests === 'string' ? [manifests] : manifests;
  return {
    namespace,
    image,
    allowsStopped,
    beside: texts.map((text, index) => ({
      title: texts.length === 1 ? 'manifests' : `manifests[${index}]`,
      text,
    })),
  };
}

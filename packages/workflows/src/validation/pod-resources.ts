import { isObject } from '@turnsole/kube/text/json';
import type { ProblemSink } from './problem.ts';

/** Resources of a pod as a whole: Kubernetes has only these for it, and claims of their own. */
const OF_PODS = /^(?:cpu|memory|hugepages-.*)$/;

/** Resources of whole pods that the API server would refuse in the middle of a run. `where` is the path in Argo's words. */
export function checkPodResources(
  problems: ProblemSink,
  resources: unknown,
  path: string,
  where: string,
): void {
  if (!isObject(resources)) return;
  const { claims, limits, requests } = resources;
  if (Array.isArray(claims) && claims.length > 0)
    problems.add(`${path}.claims`, `${where}.claims is not supported for pod-level resources`);
  for (const [field, list] of Object.entries({ limits, requests })) {
    for (const name of Object.keys(isObject(list) ? list : {})) {
      if (!OF_PODS.test(name))
        problems.add(
          `${path}.${field}`,
          `${where}: ${JSON.stringify(name)} is not a valid pod-level resource, only cpu, memory and hugepages-* are supported`,
        );
    }
  }
}

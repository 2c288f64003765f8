import { LogTails } from '@turnsole/kube/runtime/log-tails';
import { KEPT_LOG_BYTES } from '../api/kept-logs.ts';
import { PODS_OF_RUNS } from '../chaos/pods-of-runs.ts';

/** The container of a workflow's pod that does the work of its step. */
const MAIN = 'main';

/** How the logs are followed, and where they go. */
type Means = Omit<
  ConstructorParameters<typeof LogTails>[0],
  'namespace' | 'labelSelector' | 'limitBytes' | 'containerOf'
>;

/**
 * What keeps the ends of the logs of all pods of runs: those of steps, runners, experiments and helpers. Not started.
 *
 * @param namespaces where the pods are; undefined: everywhere
 */
export function tailsOfRunPods(namespaces: readonly string[] | undefined, means: Means): LogTails[] {
  const places: readonly (string | undefined)[] = namespaces ?? [undefined];
  return places.flatMap((namespace) =>
    PODS_OF_RUNS.map(
      (labelSelector) =>
        new LogTails({
          ...means,
          ...{ namespace, labelSelector, limitBytes: KEPT_LOG_BYTES },
          containerOf: ({ spec }) => spec?.containers.find(({ name }) => name === MAIN)?.name,
        }),
    ),
  );
}

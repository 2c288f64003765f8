/** An object of a cluster, with what experiments select it by. */
export interface Labelled {
  readonly name: string;
  /** Each as `key=value`. */
  readonly labels: readonly string[];
}

/** Labels from controllers, which change with each version of a workload, or belong to one pod. */
const MADE =
  /^(pod-template-hash|controller-revision-hash|pod-template-generation|rollouts-pod-template-hash|statefulset\.kubernetes\.io\/pod-name|apps\.kubernetes\.io\/pod-index)=/;

/** Usual labels for applications, best first. */
const USUAL = ['app', 'app.kubernetes.io/name', 'name', 'k8s-app', 'app.kubernetes.io/instance'];

/** Number of pods with a label. Pure. */
export function countWith(label: string, pods: readonly Labelled[]): number {
  return pods.filter(({ labels }) => labels.includes(label)).length;
}

/** Labels that can name an application among pods, each once, in order. Pure. */
export function labelsOf(pods: readonly Labelled[]): string[] {
  return [...new Set(pods.flatMap(({ labels }) => labels))].filter((label) => !MADE.test(label)).toSorted();
}

/**
 * The label that selects the pods of a workload and as few others as possible; undefined if there is none. Pure.
 *
 * @param pods of its namespace
 */
export function labelOf(workload: Labelled, pods: readonly Labelled[]): string | undefined {
  const own = pods.filter(({ name }) => name.startsWith(`${workload.name}-`));
  const [first, ...others] = own;
  const common =
    first === undefined
      ? workload.labels
      : first.labels.filter((label) => others.every(({ labels }) => labels.includes(label)));
  const rank = (label: string): number => {
    const place = USUAL.indexOf(label.split('=')[0] ?? '');
    return place < 0 ? USUAL.length : place;
  };
  return common
    .filter((label) => !MADE.test(label))
    .toSorted((a, b) => countWith(a, pods) - countWith(b, pods) || rank(a) - rank(b) || (a < b ? -1 : 1))[0];
}

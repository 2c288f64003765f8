/**
 * The rooms of `src` and what each may import: the one place of this rule. The table in docs/architecture.md is held equal to it.
 * A new folder at the top of `src` does not pass the tests until it has a row here.
 */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  api: [],
  expression: ['api'],
  kube: ['api'],
  probes: ['kube', 'api'],
  experiment: ['probes', 'kube', 'api'],
  faults: ['experiment', 'kube', 'api'],
  runner: ['kube', 'api'],
  operator: ['kube', 'api'],
  exporter: ['kube', 'api'],
  webhook: ['kube', 'api'],
  local: ['kube', 'api'],
  cli: ['local', 'webhook', 'exporter', 'operator', 'runner', 'faults', 'experiment', 'kube', 'api'],
};

/** More folders than these at the top of `src` no reader takes in at a glance; further rooms stand in groups. */
export const MOST_FOLDERS = 15;

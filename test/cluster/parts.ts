/** The parts of the suite: files of this folder, and of test/faults. */

/** What concerns the whole cluster runs alone. */
export const ALONE = ['operator', 'figures', 'aborts', 'outages', 'traces'] as const;
export const TOGETHER = [
  'engines',
  'crash',
  'changes',
  'refused',
  'webhook',
  'exporter',
  'charts',
  'migrate',
  'restricted',
  'workflows',
  'tracker',
  'subscriber',
] as const;

/** Of test/faults, the part that takes the node from everything else. */
export const FAULTS_ALONE = ['only-node'] as const;
/** Those of test/faults that work on a cluster; the others make networks of their own, or take nodes that an embedded cluster has. */
export const FAULTS = [
  'databases',
  'disk-fill',
  'dns',
  'exec-stress',
  'http',
  'k6-loadgen',
  'mishaps',
  'network-pods',
  'node-stress',
  'pod-stress',
  'redfish',
  'spring-boot',
] as const;

/** What changes the installation itself runs after everything else that uses it, alone; the part `uninstall` removes it. */
export const LAST = ['control-plane'] as const;

/**
 * What a change has to pass before it lands: each way in which Turnsole is installed and used, and a fault of each shape (by the API, by helpers in
 * cgroups and networks). The others take twice as long again, and are run before a release.
 */
export const LANDING: readonly string[] = [
  'traces',
  'engines',
  'crash',
  'refused',
  'webhook',
  'exporter',
  'migrate',
  'restricted',
  'workflows',
  'tracker',
  'subscriber',
  'dns',
  'network-pods',
  'pod-stress',
  'control-plane',
];

/** Names that may be asked for. */
export const PARTS: readonly string[] = [...ALONE, ...FAULTS_ALONE, ...TOGETHER, ...FAULTS, ...LAST];

/** The file of a part, from the root of the checkout. */
export function fileOf(part: string): string {
  const isOfFaults = ([...FAULTS_ALONE, ...FAULTS] as readonly string[]).includes(part);
  return `${isOfFaults ? 'test/faults' : 'test/cluster'}/${part}.test.ts`;
}

/** Files whose tests are all skipped without a cluster, which only this suite gives them. */
export const CLUSTER_FILES: readonly string[] = ['install', ...ALONE, ...TOGETHER, ...LAST, 'uninstall'].map(
  fileOf,
);

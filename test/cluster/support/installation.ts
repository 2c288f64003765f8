import type { ClusterSettings } from './settings.ts';

/** The command line by which the suite installs Turnsole: two operators, the webhook, two event trackers, the exporter, and every fault in the shop. */
export function installArguments({ image, pullPolicy, namespace, shop }: ClusterSettings): string[] {
  return [
    'install',
    ...['--namespace', namespace],
    ...['--image', image],
    ...['--image-pull-policy', pullPolicy],
    ...['--replicas', '2'],
    '--webhook',
    '--event-tracker',
    '--exporter',
    ...['--faults', 'all'],
    ...['--fault-namespace', shop],
  ];
}

import type { Container, Pod } from '@turnsole/kube/kinds/core';
import type { ExperimentSettings } from '../../injection/settings/compile-settings.ts';

/** The container of the experiment in its own pod: its name begins with that of the experiment (Job name); else the first. */
export function ownContainer(
  pod: Pod | undefined,
  { experiment }: Pick<ExperimentSettings, 'experiment'>,
): Container | undefined {
  const containers = pod?.spec?.containers ?? [];
  return containers.find(({ name }) => name.startsWith(experiment)) ?? containers[0];
}

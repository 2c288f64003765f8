import type { EmbeddedClusterOptions } from '@turnsole/cluster/cluster/types';
import type { SimulationRule } from '@turnsole/cluster/node/simulated/plan';
import { matchImage } from '@turnsole/kube/text/image-reference';

/** Images of Turnsole's own components, whose pods do something for chaos and not for the application. */
const COMPONENTS = [
  'turnsole',
  'turnsole/turnsole',
  'litmuschaos/chaos-operator',
  'litmuschaos/chaos-runner',
  'litmuschaos/chaos-exporter',
  'litmuschaos/go-runner',
] as const;

/** Has pods of Turnsole's components really run where pods are simulated. */
export const realComponents: SimulationRule = ({ spec }) =>
  spec?.containers.some(({ image = '' }) => COMPONENTS.some((name) => matchImage(name, image) > 0)) === true
    ? 'process'
    : undefined;

/**
 * Has pods of Turnsole's components really run where pods are simulated, unless a rule of the user says otherwise: an engine on a simulated
 * cluster then injects into simulated pods.
 */
export function withRealComponents(
  runtime: EmbeddedClusterOptions['runtime'],
): EmbeddedClusterOptions['runtime'] {
  if (runtime === undefined || runtime === 'process') return runtime;
  const simulated = runtime === 'simulated' ? { kind: runtime } : runtime;
  return { ...simulated, rules: [...(simulated.rules ?? []), realComponents] };
}

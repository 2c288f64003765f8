import { matchImage } from '../../../api/image-reference.ts';
import type { SimulationRule } from './plan.ts';

/** Images of Turnsole's own components, whose pods do something for chaos and not for the application. */
const COMPONENTS = [
  'turnsole',
  'turnsole/turnsole',
  'litmuschaos/chaos-operator',
  'litmuschaos/chaos-runner',
  'litmuschaos/chaos-exporter',
  'litmuschaos/go-runner',
] as const;

/** Has pods of Turnsole's components really run: an engine on a simulated cluster then injects into simulated pods. */
export const realComponents: SimulationRule = ({ spec }) =>
  spec?.containers.some(({ image = '' }) => COMPONENTS.some((name) => matchImage(name, image) > 0)) === true
    ? 'process'
    : undefined;

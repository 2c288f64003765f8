import type { NewObject } from '@turnsole/kube/client/types';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { HOLD_LABEL } from './cluster.ts';

const LEAF = { name: 'leaf', container: { image: 'busybox', command: ['true'] } };

function workflow(name: string, spec: object): NewObject<Workflow> {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name },
    spec,
  } as NewObject<Workflow>;
}

export function oneStep(name: string): NewObject<Workflow> {
  return workflow(name, { entrypoint: 'leaf', templates: [LEAF] });
}

/** Its pod does not end by itself. */
export function held(name: string): NewObject<Workflow> {
  const leaf = { ...LEAF, metadata: { labels: { [HOLD_LABEL]: 'true' } } };
  return workflow(name, { entrypoint: 'leaf', templates: [leaf] });
}

export function chain(name: string, length: number): NewObject<Workflow> {
  const steps = Array.from({ length }, (_, index) => [{ name: `s${index}`, template: 'leaf' }]);
  return workflow(name, { entrypoint: 'main', templates: [{ name: 'main', steps }, LEAF] });
}

export function fanOut(name: string, count: number): NewObject<Workflow> {
  const steps = [[{ name: 'all', template: 'leaf', withSequence: { count: String(count) } }]];
  return workflow(name, { entrypoint: 'main', templates: [{ name: 'main', steps }, LEAF] });
}

/** Tasks of a dag at the same time. */
const WIDTH = 50;

/** A dag in rows: each task waits for one of the row before it. */
export function dag(name: string, count: number): NewObject<Workflow> {
  const tasks = Array.from({ length: count }, (_, index) => ({
    name: `t${index}`,
    template: 'leaf',
    ...(index >= WIDTH && { depends: `t${index - WIDTH}` }),
  }));
  return workflow(name, { entrypoint: 'main', templates: [{ name: 'main', dag: { tasks } }, LEAF] });
}

import type { NewObject } from '@turnsole/kube/client/types';
import type { Template } from '@turnsole/workflows/kinds/template';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import type { Seeded } from '../../support/seeded.ts';

/** What one pod of a scenario has to be: found by the name of its node. */
export interface ExpectedPod {
  /** What the step before it has handed over; absent where nothing is. */
  readonly takes?: string;
  /** Whether its node ends with the output parameter `out`. */
  readonly gives: boolean;
}

/** A workflow that succeeds whatever happens to its controller, and the pods that it takes. */
export interface Scenario {
  readonly workflow: NewObject<Workflow>;
  readonly pods: ReadonlyMap<string, ExpectedPod>;
}

/** The value that a node hands over. */
export const outputOf = (node: string): string => `made by ${node}`;

const MOST_DEPTH = 2;

/** Leaves say by their first argument what their pods do (`cluster.ts`). */
const LEAVES: readonly Template[] = [
  leaf('plain', ['do']),
  { ...leaf('gives', ['do']), outputs: { parameters: [{ name: 'out', valueFrom: { path: '/tmp/out' } }] } },
  { ...leaf('takes', ['take', '{{inputs.parameters.in}}']), inputs: { parameters: [{ name: 'in' }] } },
  { ...leaf('fails-once', ['fail', '1']), retryStrategy: { limit: 2 } },
  { ...leaf('fails-twice', ['fail', '2']), retryStrategy: { limit: 2 } },
];

function leaf(name: string, args: readonly string[]): Template {
  return { name, container: { image: 'worker', command: ['work'], args: [...args] } } as Template;
}

/** One entry of a group of steps, or a task. */
interface Call {
  readonly name: string;
  readonly template: string;
  readonly arguments?: object;
  readonly withItems?: readonly number[];
  readonly depends?: string;
}

/** Draws a workflow of steps and dags in each other, with loops, retries and values that are handed over. */
export function drawScenario(seed: Seeded, name: string): Scenario {
  const templates: Template[] = [...LEAVES];
  const pods = new Map<string, ExpectedPod>();
  const expectLeaf = (template: string, node: string, takes?: string): void => {
    const attempts = template === 'fails-once' ? 2 : template === 'fails-twice' ? 3 : undefined;
    const expected = { gives: template === 'gives', ...(takes !== undefined && { takes }) };
    if (attempts === undefined) pods.set(node, expected);
    else for (let attempt = 0; attempt < attempts; attempt += 1) pods.set(`${node}(${attempt})`, expected);
  };
  /** A template is drawn for each place, so that what its nodes are called follows from where it is. */
  const drawBody = (node: string, depth: number): string => {
    const isDag = seed.chance(0.5);
    const label = `body-${templates.length}`;
    // The place among the templates is taken before those inside of it.
    const place = templates.push({ name: label } as Template) - 1;
    const groups: Call[][] = [];
    let giver: { readonly call: string; readonly node: string } | undefined;
    for (let row = 0; row < seed.between(1, 3); row += 1) {
      const before = groups.at(-1);
      const group: Call[] = [];
      const handed = giver;
      for (let column = 0; column < seed.between(1, 3); column += 1) {
        const call = `s${row}-${column}`;
        const own = isDag ? `${node}.${call}` : `${node}[${row}].${call}`;
        const order =
          isDag && before !== undefined ? { depends: before.map((one) => one.name).join(' && ') } : {};
        if (handed !== undefined && column === 0) {
          const from = `{{${isDag ? 'tasks' : 'steps'}.${handed.call}.outputs.parameters.out}}`;
          expectLeaf('takes', own, outputOf(handed.node));
          group.push({
            name: call,
            template: 'takes',
            arguments: { parameters: [{ name: 'in', value: from }] },
            ...order,
          });
        } else if (depth < MOST_DEPTH && seed.chance(0.3)) {
          group.push({ name: call, template: drawBody(own, depth + 1), ...order });
        } else {
          const template = seed.pick(['plain', 'gives', 'gives', 'fails-once', 'fails-twice']);
          const items = seed.chance(0.25)
            ? Array.from({ length: seed.between(2, 4) }, (_, item) => item)
            : undefined;
          for (const item of items ?? [undefined])
            expectLeaf(template, item === undefined ? own : `${own}(${item}:${item})`);
          if (template === 'gives' && items === undefined) giver = { call, node: own };
          group.push({ name: call, template, ...(items && { withItems: items }), ...order });
        }
      }
      // A value is handed to the next row only.
      if (giver === handed) giver = undefined;
      groups.push(group);
    }
    templates[place] = {
      name: label,
      ...(isDag ? { dag: { tasks: groups.flat() } } : { steps: groups }),
    } as Template;
    return label;
  };
  const entrypoint = drawBody(name, 0);
  const workflow = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name },
    spec: { entrypoint, templates },
  } as NewObject<Workflow>;
  return { workflow, pods };
}

/** Plays a workflow without a cluster: the engine decides, and each pod ends as its caller says. */
import {
  applyDecision,
  type Change,
  type CreatePod,
  createRun,
  decide,
  decodeWorkflow,
  NO_TEMPLATES,
  validateWorkflow,
} from '@turnsole/workflows';
import { parse } from 'yaml';

/** How the main container of a step ends. */
export interface End {
  readonly exitCode: number;
  /** What it printed: `outputs.result`. */
  readonly result?: string;
}

/**
 * Its phase, and the names of its pods in the order in which they are asked for. Waits, such as those between two attempts, take no time.
 *
 * @param ends how a pod ends, by the name of its template
 * @throws Error with everything that is wrong with the workflow
 */
export function play(
  manifest: string,
  ends: (template: string) => End,
): { readonly phase: string; readonly pods: readonly string[] } {
  const workflow = decodeWorkflow(parse(manifest));
  const problems = validateWorkflow(workflow, { library: NO_TEMPLATES });
  if (problems.length > 0) throw new Error(problems.map(({ path, text }) => `${path}: ${text}`).join('\n'));
  const none = new Map();
  const facts = { workflowTemplates: none, clusterWorkflowTemplates: none, parameterConfigMaps: none };
  const options = { podNames: 'v2', mustReport: () => false, random: () => 0 } as const;
  let now = Date.parse('2030-01-01T00:00:00Z');
  const run = createRun(workflow, workflow.spec, facts, options, now);
  const pods: string[] = [];
  const changes: Change[] = [{ kind: 'look' }];
  for (let change = changes.shift(); change !== undefined; change = changes.shift()) {
    const decision = decide(run, change, now);
    applyDecision(run, decision);
    for (const action of decision.actions) {
      if (action.kind !== 'createPod') throw new Error(`this example answers no ${action.kind}`);
      pods.push(action.podName);
      changes.push(...answers(action, ends(action.template.name ?? '')));
    }
    if (changes.length === 0 && decision.wakeAt !== undefined) {
      now = decision.wakeAt;
      changes.push({ kind: 'look' });
    }
  }
  return { phase: run.status.phase, pods };
}

/** What the engine gets to see of a pod that has ended. */
function answers({ node, podName }: CreatePod, { exitCode, result }: End): Change[] {
  const state = { kind: 'terminated', exitCode } as const;
  const phase = exitCode === 0 ? 'Succeeded' : 'Failed';
  const pod = { name: podName, phase, containers: [{ name: 'main', role: 'main', state }] } as const;
  return [
    { kind: 'reported', node, isComplete: true, ...(result !== undefined && { outputs: { result } }) },
    { kind: 'podChanged', node, pod },
  ];
}

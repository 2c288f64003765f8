import { findCondition } from '@turnsole/kube/kinds/conditions';
import { type ChaosEngine, CONDITION_RUNNABLE, isOpen } from '../../api/index.ts';
import { verdictOfEngine } from '../../chaos/engine-verdict.ts';
import { describeHalt } from '../../chaos/halt.ts';
import { describeLeft } from '../../chaos/recovery/decide-recovery.ts';
import { wantsDryRun } from '../../chaos/run-record.ts';
import { type ClusterOptions, onExisting } from '../../runs/session/open-cluster.ts';
import { pulledLevers } from '../../services/halt/lever.ts';
import { type Chaos, keyOf, observeChaos } from '../../services/halt/observe-chaos.ts';
import { readableError } from '../../services/report/readable-error.ts';
import { type WorkflowState, workflowStates } from '../../services/workflows/workflow-states.ts';
import { withDetachedCluster } from '../up/detached-cluster.ts';

/** Options of `turnsole status`. */
export interface StatusOptions extends ClusterOptions {
  readonly output: 'text' | 'json';
}

/** Prints whether chaos is halted, what each engine does, and what is in force. */
export async function run(options: StatusOptions): Promise<number> {
  const scope = options.namespace;
  return onExisting(await withDetachedCluster(options), async ({ client }) => {
    const [levers, chaos] = await Promise.all([pulledLevers(client, scope), observeChaos(client, scope)]);
    const workflows = await workflowStates(client, scope, chaos.engines);
    if (options.output === 'json') {
      console.log(JSON.stringify(statusDocument(levers, chaos, workflows), null, 2));
      return 0;
    }
    for (const halt of levers) console.log(describeHalt(halt));
    if (levers.length === 0) console.log('chaos is not halted');
    for (const workflow of workflows) console.log(workflowLine(workflow));
    for (const line of chaos.engines.flatMap(engineLines)) console.log(line);
    const open = openEntries(chaos.results);
    for (const entry of open) console.log(`in force: ${describeLeft(entry)}`);
    const count = workflows.length === 0 ? '' : `${workflows.length} workflow(s), `;
    console.log(`${count}${chaos.engines.length} engine(s), ${open.length} injection(s) in force`);
    return 0;
  });
}

/** How a workflow stands, and which engines are its own. Pure. */
function workflowLine({ namespace, name, phase, progress, message, engines }: WorkflowState): string {
  const done = progress === undefined ? '' : `, ${progress}`;
  const own = engines.length === 0 ? '' : `, engines ${engines.join(', ')}`;
  return `workflow ${namespace}/${name}: ${phase}${done}${own}${message === undefined ? '' : ` (${message})`}`;
}

/** How an engine stands, all its verdicts, and what keeps it or one of its experiments, if anything does. Pure. */
function engineLines(engine: ChaosEngine): string[] {
  const { status } = engine;
  const problem = findCondition(status?.conditions, CONDITION_RUNNABLE);
  const why = problem?.status === 'False' ? ` (${problem.reason}: ${problem.message})` : '';
  const dry = wantsDryRun(engine) ? ', dry run' : '';
  const verdict = verdictOfEngine(status?.experiments);
  return [
    `engine ${keyOf(engine)}: ${status?.engineStatus || 'waiting'}${dry}${verdict === undefined ? '' : `, ${verdict}`}${why}`,
    ...(status?.experiments ?? []).map(
      ({ name, iteration, status: word, verdict: own, reason }) =>
        `  ${name}${iteration === undefined ? '' : ` (${iteration})`}: ${word}, ${own}${reason ? ` (${readableError(undefined, reason)})` : ''}`,
    ),
  ];
}

/** The same for programs. Pure. */
function statusDocument(
  levers: readonly HaltedScope[],
  { engines, results }: Chaos,
  workflows: readonly WorkflowState[],
) {
  return {
    halted: levers.map(describeHalt),
    workflows,
    engines: engines.map((engine) => ({
      namespace: engine.metadata.namespace ?? '',
      name: engine.metadata.name,
      status: engine.status?.engineStatus || 'waiting',
      dryRun: wantsDryRun(engine),
      verdict: verdictOfEngine(engine.status?.experiments),
      experiments: (engine.status?.experiments ?? []).map(({ name, iteration, status, verdict, reason }) => ({
        name,
        iteration,
        status,
        verdict,
        reason,
      })),
    })),
    inForce: openEntries(results).map(describeLeft),
  };
}

type HaltedScope = Parameters<typeof describeHalt>[0];

function openEntries(results: Chaos['results']) {
  return results.flatMap(({ status }) => Object.values(status?.ledger ?? {}).filter(isOpen));
}

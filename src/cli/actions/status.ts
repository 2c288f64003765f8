import { systemClock } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import { findCondition } from '@turnsole/kube/kinds/conditions';
import { metaTime } from '@turnsole/kube/text/time';
import { asOneLine } from '@turnsole/kube/text/visible';
import { type ChaosEngine, CONDITION_RUNNABLE, isOpen } from '../../api/index.ts';
import { verdictOfEngine } from '../../chaos/engine-verdict.ts';
import { describeHalt } from '../../chaos/halt.ts';
import { describeLeft } from '../../chaos/recovery/decide-recovery.ts';
import { wantsDryRun } from '../../chaos/run-record.ts';
import type { ClusterOptions } from '../../runs/session/open-cluster.ts';
import { pulledLevers } from '../../services/halt/lever.ts';
import { type Chaos, keyOf, observeChaos } from '../../services/halt/observe-chaos.ts';
import { whenChaosChanges } from '../../services/halt/when-chaos-changes.ts';
import { errorText } from '../../services/report/error-words.ts';
import { type WorkflowState, workflowStates } from '../../services/workflows/workflow-states.ts';
import { onCluster } from './workflow/session.ts';

/** Options of `turnsole status`. */
export interface StatusOptions extends ClusterOptions {
  readonly output: 'text' | 'json';
  /** Goes on until the user stops the command. */
  readonly watch?: boolean;
}

/** Prints whether chaos is halted, what each engine does, and what is in force; with `--watch` again and again. */
export function run(options: StatusOptions): Promise<number> {
  const scope = options.namespace;
  return onCluster(options, async ({ client }, signal) => {
    const read = (): Promise<string> => statusText(client, scope, options);
    if (options.watch !== true) {
      console.log(await read());
      return 0;
    }
    let shown = '';
    await whenChaosChanges(client, scope, signal, async () => {
      const text = await read();
      if (text === shown) return;
      // Blocks of their own, so that what came before stays readable, also in a file; JSON is a document a line.
      if (shown !== '' && options.output === 'text') console.log(`--- ${metaTime(systemClock.now())}`);
      console.log(text);
      shown = text;
    });
    return 0;
  });
}

async function statusText(
  client: KubeClient,
  scope: string | undefined,
  { output, watch }: StatusOptions,
): Promise<string> {
  const [levers, chaos] = await Promise.all([pulledLevers(client, scope), observeChaos(client, scope)]);
  const workflows = await workflowStates(client, scope, chaos.engines);
  if (output === 'json')
    return JSON.stringify(statusDocument(levers, chaos, workflows), null, watch === true ? 0 : 2);
  const open = openEntries(chaos.results);
  const count = workflows.length === 0 ? '' : `${workflows.length} workflow(s), `;
  return [
    ...(levers.length === 0 ? ['chaos is not halted'] : levers.map(describeHalt)),
    ...workflows.map(workflowLine),
    ...chaos.engines.flatMap(engineLines),
    ...open.map((entry) => `in force: ${describeLeft(entry)}`),
    `${count}${chaos.engines.length} engine(s), ${open.length} injection(s) in force`,
  ]
    .map(asOneLine)
    .join('\n');
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
        `  ${name}${iteration === undefined ? '' : ` (${iteration})`}: ${word}, ${own}${reason ? ` (${errorText(reason)})` : ''}`,
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

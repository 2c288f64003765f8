import { RESULT_PHASES } from '../../../api/schema/vocabulary.ts';
import type { TimelineEntry } from '../../../api/timeline.ts';
import type { ExperimentDetails } from '../run-details.ts';

/** What an agent has reported of a run, as the control plane reads it. Times are unix seconds as text, as agents write them, empty where there is none. */
export interface RunAccount {
  readonly name: string;
  readonly namespace: string;
  /** The agent's word for the run. LitmusChaos' agents say `Completed` of a workflow that failed. */
  readonly phase: string;
  /** The phase of the workflow itself, which only our agents add; empty where it is not known. */
  readonly workflowPhase: string;
  /** What the controller says of the whole workflow. */
  readonly message: string;
  /** Whether the run is one of a workflow, and not of an engine alone. */
  readonly isWorkflow: boolean;
  readonly nodes: readonly AccountNode[];
}

/** One node of such a run. */
export interface AccountNode {
  readonly id: string;
  readonly name: string;
  readonly phase: string;
  readonly type: string;
  readonly message: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  /** Null until the agent reports it; undefined for nodes that make none. */
  readonly engine: AccountEngine | null | undefined;
}

/** Facts about the engine of a node. */
export interface AccountEngine {
  readonly name: string;
  readonly namespace: string;
  readonly experiment: string;
  readonly phase: string;
  /** Of the engine, in the agent's words: `Fail` of any that ended without a pass. */
  readonly verdict: string;
  /** Of its result, as the experiment stored it; empty without one. */
  readonly ownVerdict: string;
  /** Why it has no verdict; empty if there is no reason. */
  readonly failStep: string;
  /** Share of passed probes, 0 to 100; 0 until it is known. */
  readonly percentage: number;
  /** Verdicts of probes: `Passed`, `Failed`, `Awaited`, `N/A`. Undefined without a result. */
  readonly probes: ExperimentDetails['probes'] | undefined;
  /** Whether it only plans, as far as its agent says. */
  readonly isDryRun?: boolean;
  readonly targets: readonly { readonly kind: string; readonly name: string; readonly status: string }[];
}

const BROKEN: readonly string[] = ['Failed', 'Error'];

/**
 * The phase of the workflow of a run, in Argo's words: as our agents report it, else that of its root node, which has the workflow's name.
 * Without both a step that failed means that the workflow failed, whatever the agent calls the run. Pure.
 */
export function workflowPhaseOf({ name, phase, workflowPhase, nodes }: RunAccount): string {
  if (workflowPhase !== '') return workflowPhase;
  const root = nodes.find(({ id }) => id === name);
  // Agents overwrite the phase of the root of a run that is being stopped.
  if (root !== undefined && PHASES.includes(root.phase)) return root.phase;
  if (UNDER_WAY.includes(phase)) return phase;
  if (nodes.some((node) => node.engine === undefined && BROKEN.includes(node.phase))) return 'Failed';
  return phase.startsWith('Completed') ? 'Succeeded' : phase;
}

/** Phases of workflows. */
const PHASES: readonly string[] = ['Pending', 'Running', 'Succeeded', ...BROKEN];
const UNDER_WAY: readonly string[] = ['Queued', 'Pending', 'Running'];

/**
 * The verdict of the engine of a node. Agents call every engine that ended without a pass `Fail`, also one that came to no verdict: its
 * result has its own word, and the phase of the node says which of both it is. Pure.
 */
export function verdictOfEngine({ phase, engine }: Pick<AccountNode, 'phase' | 'engine'>): string {
  const { verdict = '', ownVerdict = '', failStep = '' } = engine ?? {};
  if (ownVerdict !== '') return ownVerdict;
  if (phase === 'Error' || phase === 'Completed_With_Error') return 'Error';
  if (verdict.toLowerCase() === 'pass') return 'Pass';
  // Without a result, the reason of the engine says that nothing was judged: `ChaosExperiment Not Found`.
  if (verdict === 'Fail' && !RESULT_PHASES.some((one) => one === phase))
    return failStep === '' ? 'N/A' : 'Error';
  return verdict || 'Awaited';
}

/** RFC 3339 of unix seconds as text; undefined for none. Pure. */
export function timeOfSeconds(text: string): string | undefined {
  return /^\d{1,11}$/.test(text) ? new Date(Number(text) * 1000).toISOString() : undefined;
}

/** The beginnings and ends of the nodes, in order of time: all that an account knows of moments. Pure. */
export function accountSteps({ nodes }: Pick<RunAccount, 'nodes'>): TimelineEntry[] {
  const steps = nodes.flatMap((node): TimelineEntry[] => {
    const [began, ended] = [timeOfSeconds(node.startedAt), timeOfSeconds(node.finishedAt)];
    const actor = `step/${node.name}`;
    const said = node.message === '' ? '' : `: ${node.message}`;
    return [
      ...(began === undefined
        ? []
        : [{ time: began, actor, step: 'NodeStarted', message: `${node.type} ${node.id} began` }]),
      ...(ended === undefined
        ? []
        : [{ time: ended, actor, step: 'NodeEnded', message: `${node.phase}${said}` }]),
    ];
  });
  return steps.toSorted((a, b) => a.time.localeCompare(b.time));
}

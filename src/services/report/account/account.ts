import type { TimelineEntry } from '../../../api/timeline.ts';
import type { ExperimentDetails } from '../run-details.ts';

/** What an agent has reported of a run, as the control plane reads it. Times are unix seconds as text, as agents write them, empty where there is none. */
export interface RunAccount {
  readonly name: string;
  readonly namespace: string;
  readonly phase: string;
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
  readonly verdict: string;
  /** Why it has no verdict; empty if there is no reason. */
  readonly failStep: string;
  /** Share of passed probes, 0 to 100; 0 until it is known. */
  readonly percentage: number;
  /** Verdicts of probes: `Passed`, `Failed`, `Awaited`, `N/A`. Undefined without a result. */
  readonly probes: ExperimentDetails['probes'] | undefined;
  readonly targets: readonly { readonly kind: string; readonly name: string; readonly status: string }[];
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

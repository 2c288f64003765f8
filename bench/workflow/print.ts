import { formatColumns, formatTable } from '../report.ts';
import type { HeldOutcome, ManyOutcome, NodesOutcome } from './phases.ts';

/** Everything that was measured. */
export interface WorkflowOutcome {
  readonly benchmark: 'workflow';
  readonly controller: string;
  readonly many: readonly ManyOutcome[];
  readonly held: HeldOutcome;
  readonly chain: NodesOutcome;
  readonly fanOut: NodesOutcome;
  readonly dags: readonly NodesOutcome[];
}

export function printOutcome({ controller, many, held, chain, fanOut, dags }: WorkflowOutcome): void {
  console.log(`\ncontroller: ${controller}\n\nworkflows of one step, created at once`);
  console.log(
    formatColumns(
      ['workflows', 'seconds', 'per minute', 'p50 ms', 'p99 ms', 'requests', 'bytes', 'CPU ms'],
      many.map(({ workflows, seconds, perMinute, took, requestsEach, sentBytesEach, cpuMsEach }) => [
        String(workflows),
        seconds.toFixed(2),
        perMinute.toFixed(0),
        took.p50.toFixed(0),
        took.p99.toFixed(0),
        requestsEach.toFixed(1),
        sentBytesEach.toFixed(0),
        cpuMsEach.toFixed(1),
      ]),
    ),
  );
  console.log(
    `\nmemory with ${held.workflows} workflows that run: ${held.residentMb.toFixed(0)} MB (peak ${held.peakMb.toFixed(0)} MB)\n`,
  );
  const rows = [
    ['chain', chain],
    ['fan-out', fanOut],
    ...dags.map((dag) => ['dag', dag] as const),
  ] as const satisfies readonly (readonly [string, NodesOutcome])[];
  console.log(
    formatColumns(
      ['', 'nodes', 'seconds', 'requests', 'bytes', 'CPU ms', 'first tenth', 'last tenth', 'RSS MB'],
      rows.map(([title, nodes]) => [
        title,
        String(nodes.nodes),
        nodes.seconds.toFixed(1),
        nodes.requestsPerNode.toFixed(2),
        nodes.sentBytesPerNode.toFixed(0),
        nodes.cpuMsPerNode.toFixed(2),
        (nodes.cpuMsByTenth[0] ?? Number.NaN).toFixed(2),
        (nodes.cpuMsByTenth.at(-1) ?? Number.NaN).toFixed(2),
        nodes.residentMb.toFixed(0),
      ]),
    ),
  );
  if (chain.stepToNext !== undefined) {
    console.log(`\n${formatTable([{ title: 'step done to next pod, ms', ...chain.stepToNext }])}`);
  }
}

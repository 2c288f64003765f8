import { type ExecutionData, readExecutionData } from '../../../services/report/account/execution-data.ts';

/** What a test says of the engine of a node. */
export interface EngineFacts {
  readonly engineName: string;
  readonly experimentVerdict?: string;
  readonly probeSuccessPercentage?: string;
  readonly probeStatuses?: readonly object[];
  readonly phase?: string;
}

/** The text of an agent's account of a run with these engines; the first node is the workflow's. */
export function executionText(
  engines: readonly EngineFacts[],
  { phase = 'Running', finishedAt = '', name = 'shop-1' } = {},
): string {
  const nodes = engines.map(({ phase: ofNode = 'Completed', probeStatuses, ...data }, index) => [
    `${name}-${index}`,
    {
      name: data.engineName,
      phase: ofNode,
      type: 'ChaosEngine',
      finishedAt: ofNode === 'Running' ? '' : '7',
      chaosData: { ...data, ...(probeStatuses && { chaosResult: { status: { probeStatuses } } }) },
    },
  ]);
  const root = [name, { name, phase, type: 'Steps', finishedAt, children: null }];
  return JSON.stringify({ name, phase, finishedAt, nodes: Object.fromEntries([root, ...nodes]) });
}

/** The same as the server reads it. */
export function execution(...arguments_: Parameters<typeof executionText>): ExecutionData {
  const data = readExecutionData(executionText(...arguments_));
  if (data === undefined) throw new Error('the account of a test cannot be read');
  return data;
}

import type { Change } from '@turnsole/workflows/engine/change';
import { decodeOutputs } from '@turnsole/workflows/kinds/decode/parameters';
import { LABEL_REPORT_COMPLETED } from '@turnsole/workflows/kinds/labels';
import type { WorkflowTaskResult } from '@turnsole/workflows/kinds/tasks';

/** The outputs and progress that Argo's executor reported in a WorkflowTaskResult, whose name is the id of the node. Pure. */
export function reportOf({ metadata, outputs, progress }: WorkflowTaskResult): Change {
  const decoded = decodeOutputs(outputs);
  return {
    kind: 'reported',
    node: metadata.name,
    ...(decoded && { outputs: decoded }),
    ...(progress !== undefined && { progress }),
    isComplete: metadata.labels?.[LABEL_REPORT_COMPLETED] === 'true',
  };
}

import type { Change } from '../../workflows/engine/change.ts';
import { decodeOutputs } from '../../workflows/kinds/decode/parameters.ts';
import { LABEL_REPORT_COMPLETED } from '../../workflows/kinds/labels.ts';
import type { WorkflowTaskResult } from '../../workflows/kinds/tasks.ts';

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

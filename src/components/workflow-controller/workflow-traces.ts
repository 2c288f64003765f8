import { isOverPhase } from '@turnsole/workflows/kinds/completed';
import type { TraceSender } from '../../process/traces/trace-sender.ts';
import type { StoredObserver } from './ports.ts';
import { workflowSpans } from './workflow-spans.ts';

/** Sends the trace of each workflow when its end is stored. */
export function workflowTraces(sender: TraceSender): StoredObserver {
  return {
    stored: (change) => {
      if (!isOverPhase(change.status.phase) || isOverPhase(change.phaseBefore)) return;
      // Now: its turn may come when the nodes of the run are forgotten.
      const record = workflowSpans(change);
      if (record !== undefined) sender.add(() => Promise.resolve(record));
    },
  };
}

import { asOneLine } from '@turnsole/kube/text/visible';
import { messageWords } from '../../services/report/error-words.ts';
import { formatOffset } from '../../services/report/timeline.ts';
import { actorText, type WorkflowTimelineEntry } from '../../services/workflows/timeline.ts';

/** Lines such as `+0.213s  runner      JobCreated     created Job pod-delete-x1b2c3`, relative to the first entry; one for each. */
export function formatTimeline(
  entries: readonly WorkflowTimelineEntry[],
  options: { absolute?: boolean } = {},
): string[] {
  const start = Date.parse(entries[0]?.time ?? '');
  const actorWidth = Math.max(0, ...entries.map((entry) => actorText(entry).length));
  const stepWidth = Math.max(0, ...entries.map((entry) => entry.step.length));
  return entries.map((entry) => {
    const time = options.absolute === true ? entry.time : formatOffset(Date.parse(entry.time) - start);
    return asOneLine(
      `${time}  ${actorText(entry).padEnd(actorWidth)}  ${entry.step.padEnd(stepWidth)}  ${messageWords(entry.message)}`,
    );
  });
}

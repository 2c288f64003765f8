import type { ReactElement } from 'react';
import type { Step } from '../../models/studio/draft.ts';
import { stepNodes } from '../../models/studio/step-nodes.ts';
import { GraphView } from '../graph/graph-view.tsx';

/** The order of the steps as a graph. */
export function StepsGraph({
  steps,
  onOpen,
}: {
  readonly steps: readonly Step[];
  onOpen(step: string): void;
}): ReactElement {
  return <GraphView nodes={stepNodes(steps)} selected={undefined} onSelect={onOpen} />;
}

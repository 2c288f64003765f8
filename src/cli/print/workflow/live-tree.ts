import type { Clock } from '@turnsole/kube/base/clock';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { NodeFeed } from '../../../services/workflows/node-feed.ts';
import { hasEnded } from '../../../services/workflows/phase.ts';
import { styleFor } from '../style.ts';
import { formatSummary } from './summary.ts';
import { formatTree, symbolOf } from './tree.ts';

interface ShowOptions {
  readonly clock: Clock;
  readonly isShown?: (node: NodeStatus) => boolean;
}

/** A display of one workflow as it changes. */
interface LiveTree {
  show(workflow: Workflow): void;
  close(): void;
}

/** A tree that is drawn anew on a terminal, a line for each change of a node elsewhere (CI, pipes). */
export function showTree(stream: NodeJS.WriteStream, options: ShowOptions): LiveTree {
  return stream.isTTY ? redrawnTree(stream, options) : changeLines(stream, options);
}

/** Durations count on though nothing happens. */
const REDRAW_MS = 1000;

function redrawnTree(stream: NodeJS.WriteStream, { clock, isShown }: ShowOptions): LiveTree {
  let last: Workflow | undefined;
  let drawn = 0;
  let cancel = (): void => {};
  const draw = (): void => {
    if (last === undefined) return;
    const nowMs = clock.now();
    const style = styleFor(stream);
    const tree = formatTree(last, { nowMs, style, isShown });
    const all = [...formatSummary(last, nowMs), ...(tree.length === 0 ? [] : ['', ...tree])];
    // Lines that do not fit cannot be drawn over; at the end all are printed.
    const lines = hasEnded(last) ? all : all.slice(-(stream.rows - 1));
    stream.write(`${drawn === 0 ? '' : `\x1b[${drawn}A`}\r\x1b[J${lines.join('\n')}\n`);
    drawn = lines.length;
  };
  const tick = (): void => {
    cancel = clock.setTimer(
      REDRAW_MS,
      () => {
        draw();
        tick();
      },
      { unref: true },
    );
  };
  return {
    show: (workflow) => {
      if (last === undefined) tick();
      last = workflow;
      draw();
    },
    close: () => cancel(),
  };
}

function changeLines(stream: NodeJS.WriteStream, { clock, isShown = () => true }: ShowOptions): LiveTree {
  const feed = new NodeFeed();
  const style = styleFor(stream);
  return {
    show: (workflow) => {
      for (const line of feed.next(workflow).filter(({ node }) => node === undefined || isShown(node))) {
        const symbol = line.node === undefined ? ' ' : symbolOf(line.node, style);
        stream.write(`${new Date(clock.now()).toISOString()} ${symbol} ${line.text}\n`);
      }
    },
    close: () => {},
  };
}

/** The script of an exported timeline: the time axis of the page, with the data in the file. */

import { moment } from '../address/fields.ts';
import { readExecution } from '../models/run/execution.ts';
import { runLanes, runVerdicts } from '../models/run/run-lanes.ts';
import { type Axis, type AxisRecord, axisOf } from '../models/timeline/axis.ts';
import { explain, type RunFacts } from '../models/timeline/explain.ts';
import { foldedAtFirst } from '../models/timeline/layout.ts';
import { ReplayPlayer } from '../parts/replay/replay.ts';
import { type TimelineOptions, WHOLE_RUN } from '../parts/timeline/state.ts';
import { Timeline } from '../parts/timeline/timeline.ts';

/** The data in the file, written by `turnsole timeline -o html` and the exports of a server. */
interface ExportedRun extends AxisRecord {
  readonly verdicts: RunFacts['verdicts'];
  readonly isRunning: boolean;
  readonly outcome?: RunFacts['outcome'];
  readonly course?: RunFacts['course'];
  /** The agent's report, if there is no other data. */
  readonly account?: string;
}

const find = <Kind extends HTMLElement>(selector: string): Kind => {
  const found = document.querySelector<Kind>(selector);
  if (found === null)
    throw new Error(`cannot show the timeline: this file has no ${selector}; export it again`);
  return found;
};

const run: ExportedRun = JSON.parse(find('#run').textContent);
showAxis(run);
filterSteps(find<HTMLInputElement>('#filter'));

function showAxis(exported: ExportedRun): void {
  const { verdicts, isRunning, outcome, course, ...record } = fromAccount(exported);
  const axis = axisOf(record);
  const { sentence, evidence } = explain({ axis, verdicts, isRunning, outcome, course });
  find('#why').textContent = sentence;
  if (axis.marks.length === 0) return;
  const view = { ...WHOLE_RUN, folded: foldedAtFirst(axis) };
  const options: TimelineOptions = {
    axis,
    isRunning,
    view,
    evidence,
    onView: () => undefined,
    // There is nothing beside the axis here: opening a mark shows it among all marks.
    onOpen: (selected) => timeline.update({ ...options, view: { ...view, selected, isTable: true } }),
  };
  const timeline = new Timeline(find('#axis'), options);
  offerReplay(axis, timeline);
}

/** Opens the replay when it is asked for; the moment is in the address of the file: `#at=12.5`. */
function offerReplay(axis: Axis, timeline: Timeline): void {
  const root = find('#replay');
  const link = (atMs: number | undefined): void =>
    history.replaceState(null, '', atMs === undefined ? location.pathname : `#at=${moment.format(atMs)}`);
  const offer = (): void =>
    timeline.offerReplay(() => {
      link(0);
      open(0);
    });
  const open = (atMs: number): void => {
    timeline.offerReplay(undefined);
    const player = new ReplayPlayer(root, timeline, {
      ...{ axis, atMs },
      onMoment: link,
      onClose: () => {
        player.destroy();
        link(undefined);
        offer();
      },
    });
  };
  const atMs = moment.parse(new URLSearchParams(location.hash.slice(1)).get('at') ?? '');
  if (atMs === undefined) offer();
  else open(atMs);
}

/** Lanes and verdicts from an agent's report, by the models of the page. */
function fromAccount(run: ExportedRun): ExportedRun {
  const execution = run.account === undefined ? undefined : readExecution(run.account);
  if (execution === undefined) return run;
  return { ...run, ...runLanes(execution, run.endMs), verdicts: runVerdicts(execution) };
}

/** Hides the rows of steps that do not contain the typed text; an empty text shows all. */
function filterSteps(field: HTMLInputElement): void {
  const label = field.closest<HTMLElement>('.filter');
  if (label !== null) label.hidden = false;
  field.addEventListener('input', () => {
    const wanted = field.value.toLowerCase();
    for (const row of document.querySelectorAll<HTMLElement>('.steps tbody tr')) {
      row.hidden = !row.textContent.toLowerCase().includes(wanted);
    }
  });
}

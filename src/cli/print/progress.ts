import type { Clock } from '@turnsole/kube/base/clock';
import { asLines, asOneLine } from '@turnsole/kube/text/visible';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { messageWords } from '../../services/report/error-words.ts';
import { formatOffset } from '../../services/report/timeline.ts';
import type { LiveState, Progress } from '../../services/run/progress.ts';
import { actorText, type WorkflowTimelineEntry } from '../../services/workflows/timeline.ts';
import { type Style, styleFor } from './style.ts';
import { formatTree } from './workflow/tree.ts';

/** What a progress display needs. */
interface ProgressOptions {
  readonly stream: NodeJS.WriteStream;
  readonly quiet: boolean;
  readonly clock: Clock;
}

/** A live display on a terminal, plain lines elsewhere (CI, pipes), nothing when quiet. */
export function createProgress(options: ProgressOptions): Progress {
  if (options.quiet)
    return {
      step: () => {},
      entry: () => {},
      log: () => {},
      live: () => {},
      workflow: () => {},
      close: () => {},
    };
  return new LineProgress(options, options.stream.isTTY ? new LiveBlock(options) : undefined);
}

/** Prints a line per step, with the time since the command started. */
class LineProgress implements Progress {
  readonly #stream: NodeJS.WriteStream;
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #style: Style;
  readonly #liveLine: LiveBlock | undefined;
  /** The time of the last line. */
  #printedMs = 0;

  constructor({ stream, clock }: ProgressOptions, liveLine: LiveBlock | undefined) {
    this.#stream = stream;
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.#style = styleFor(stream);
    this.#liveLine = liveLine;
  }

  step(message: string): void {
    this.#print(this.#clock.now(), 'turnsole', asLines(message));
  }

  entry(entry: WorkflowTimelineEntry): void {
    const time = Date.parse(entry.time);
    // Creation times have whole seconds only: the line belongs after those that are printed already.
    const timeMs = entry.step === 'EngineCreated' ? Math.max(time, this.#printedMs) : time;
    this.#print(
      timeMs,
      asOneLine(actorText(entry)),
      asOneLine(messageWords(entry.message)),
      stepStyle(entry.step),
    );
  }

  log(source: string, line: string): void {
    this.#print(this.#clock.now(), asOneLine(source), asOneLine(line), 'dim');
  }

  live(state: LiveState | undefined): void {
    this.#liveLine?.show(state);
  }

  workflow(workflow: Workflow | undefined): void {
    this.#liveLine?.showTree(workflow);
  }

  close(): void {
    this.#liveLine?.show(undefined);
    this.#liveLine?.showTree(undefined);
  }

  #print(timeMs: number, actor: string, message: string, style?: Parameters<Style>[0]): void {
    this.#liveLine?.clear();
    this.#printedMs = timeMs;
    const offset = formatOffset(Math.max(0, timeMs - this.#startedAt));
    const text = style === undefined ? message : this.#style(style, message);
    this.#stream.write(
      `${this.#style('dim', offset)}  ${this.#style('cyan', actor.padEnd(ACTOR_WIDTH))}  ${text}\n`,
    );
    this.#liveLine?.draw();
  }
}

const ACTOR_WIDTH = 22;

/** Steps that deserve to stand out; the rest is printed plainly. */
function stepStyle(step: string): Parameters<Style>[0] | undefined {
  if (/Fail|Error|Abort|Stopped/.test(step)) return 'red';
  if (/Inject|Reverted|Target/.test(step)) return 'magenta';
  return step === 'Verdict' ? 'bold' : undefined;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
const BAR_CELLS = 24;

/** The last lines of a terminal, redrawn in place ten times a second while they show something: a tree of a workflow, and the activity. */
class LiveBlock {
  readonly #stream: NodeJS.WriteStream;
  readonly #clock: Clock;
  readonly #style: Style;
  #state: LiveState | undefined;
  #workflow: Workflow | undefined;
  /** Lines of the block above the one on which the cursor stands. */
  #above = 0;
  #frame = 0;
  #cancel: (() => void) | undefined;

  constructor({ stream, clock }: ProgressOptions) {
    this.#stream = stream;
    this.#clock = clock;
    this.#style = styleFor(stream);
  }

  show(state: LiveState | undefined): void {
    this.#state = state;
    this.#redraw();
  }

  showTree(workflow: Workflow | undefined): void {
    this.#workflow = workflow;
    this.#redraw();
  }

  #redraw(): void {
    this.clear();
    if (this.#state === undefined && this.#workflow === undefined) {
      this.#cancel?.();
      this.#cancel = undefined;
      return;
    }
    this.draw();
    if (this.#cancel === undefined) this.#tick();
  }

  /** Removes the block from the screen, so that other output can be written; `draw` brings it back. */
  clear(): void {
    const isShown = this.#state !== undefined || this.#workflow !== undefined || this.#cancel !== undefined;
    if (isShown) this.#stream.write(`${this.#above === 0 ? '' : `\x1b[${this.#above}A`}\r\x1b[J`);
    this.#above = 0;
  }

  draw(): void {
    const lines = this.#lines();
    if (lines.length === 0) return;
    this.clear();
    this.#stream.write(lines.join('\n'));
    this.#above = lines.length - 1;
  }

  #lines(): string[] {
    const columns = this.#stream.columns ?? 80;
    const nowMs = this.#clock.now();
    const frame = this.#style('cyan', FRAMES[this.#frame % FRAMES.length] ?? '');
    const state =
      this.#state === undefined ? [] : [`${frame} ${cutTo(formatLive(this.#state, nowMs), columns - 3)}`];
    if (this.#workflow === undefined) return state;
    // Colours have no width, and a line that is cut must not lose their end.
    const tree = formatTree(this.#workflow, { nowMs, style: (_format, text) => text });
    const room = Math.max(1, (this.#stream.rows ?? 24) - 3);
    return [...tree.slice(-room).map((line) => cutTo(line, columns - 1)), ...state];
  }

  #tick(): void {
    this.#cancel = this.#clock.setTimer(
      FRAME_MS,
      () => {
        this.#frame += 1;
        this.draw();
        this.#tick();
      },
      { unref: true },
    );
  }
}

/** A text that fits into so many columns: a wrapped line could not be cleared any more. Pure. */
export function cutTo(text: string, columns: number): string {
  if (text.length <= columns) return text;
  return columns <= 0 ? '' : `${text.slice(0, columns - 1)}…`;
}

/** The text of the live line: what runs, how far it is, how the probes stand. Pure. */
export function formatLive(state: LiveState, nowMs: number): string {
  const parts = [
    state.experiment === undefined ? state.engine : `${state.engine} ${state.experiment}`,
    state.phase,
  ];
  if (state.chaosStartedAtMs !== undefined) {
    parts.push(formatElapsed(Math.max(0, nowMs - state.chaosStartedAtMs), state.chaosDurationMs));
  }
  parts.push(...state.probes.map(({ name, verdict }) => `${name}: ${verdict}`));
  return asOneLine(parts.join('  '));
}

/** A bar where the duration is known, else the time alone; recovery may go on after the bar is full. */
function formatElapsed(elapsedMs: number, durationMs: number | undefined): string {
  const seconds = Math.floor(elapsedMs / 1000);
  if (durationMs === undefined) return `${seconds} s`;
  const filled = Math.round(Math.min(1, elapsedMs / durationMs) * BAR_CELLS);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled);
  const total = Math.round(durationMs / 1000);
  return `${bar} ${Math.min(seconds, total)}/${total} s`;
}

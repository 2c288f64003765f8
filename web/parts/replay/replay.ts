import { eventBeside } from '../../models/replay/events.ts';
import { played, SPEEDS, stepMs } from '../../models/replay/playback.ts';
import { type Replay, replayOf } from '../../models/replay/replay.ts';
import type { Axis } from '../../models/timeline/axis.ts';
import { offsetWords } from '../../models/timeline/describe.ts';
import { durationWords } from '../../models/words/duration.ts';
import { element, setText } from '../timeline/element.ts';
import type { Timeline } from '../timeline/timeline.ts';
import { MomentHandle } from './handle.ts';
import { ReplayPicture } from './replay-picture.ts';

/** Options of a replay. */
interface ReplayOptions {
  readonly axis: Axis;
  /** The moment, in milliseconds since the start of the run. */
  readonly atMs: number;
  /** Called when the reader has chosen a moment, and while playing at each event, at most once a second. */
  onMoment(atMs: number): void;
  /** Called when the reader closes it. */
  onClose(): void;
}

/** How often the link follows while it plays, in milliseconds. */
const FOLLOW_MS = 1000;
/** How often it moves for readers who want no motion, in milliseconds. */
const CALM_MS = 500;

/**
 * A run as it was at each moment: a picture above its time axis, and a handle on that. It uses no framework, so that the page and an exported
 * file share the code. What is seen at a moment is decided by `models/replay/`.
 */
export class ReplayPlayer {
  readonly #root: HTMLElement;
  readonly #timeline: Timeline;
  #options: ReplayOptions;
  #replay: Replay;
  #axis: Axis | undefined;
  #atMs = 0;
  /** The moment that was reported last. */
  #reportedMs: number | undefined;
  #reportedAt = 0;
  #speed: number = 1;
  /** Set while it plays: the frame that comes, and when the last one was drawn. */
  #frame: number | undefined;
  #drawnAt: number | undefined;
  readonly #calm = matchMedia('(prefers-reduced-motion: reduce)');
  readonly #picture = new ReplayPicture();
  readonly #handle: MomentHandle;
  readonly #play = element('button', { type: 'button', class: 'replay-play' });
  readonly #time = element('span', { class: 'replay-time' });
  readonly #chaos = element('b', { class: 'replay-chaos' });
  readonly #says = element('p', { class: 'replay-says' });

  constructor(root: HTMLElement, timeline: Timeline, options: ReplayOptions) {
    this.#root = root;
    this.#timeline = timeline;
    this.#options = options;
    this.#replay = replayOf(options.axis);
    this.#handle = new MomentHandle({
      drag: (atMs) => this.#choose(atMs),
      key: (event) => this.#key(event, true),
    });
    root.classList.add('replay');
    root.setAttribute('role', 'group');
    root.setAttribute('aria-label', 'Replay');
    root.append(this.#controls(), this.#says, this.#picture.element);
    root.addEventListener('keydown', (event) => {
      if (!(event.target instanceof HTMLSelectElement)) this.#key(event, false);
    });
    this.#showPlaying();
    this.update(options);
    timeline.hold(this.#handle);
    this.#play.focus({ preventScroll: true });
  }

  /** Shows other data, or another moment. */
  update(options: ReplayOptions): void {
    this.#options = options;
    if (options.axis !== this.#axis) {
      this.#axis = options.axis;
      this.#replay = replayOf(options.axis);
      this.#picture.show(this.#replay);
    }
    // What it has reported itself comes back here, later than it plays.
    if (options.atMs !== this.#reportedMs) {
      this.#reportedMs = options.atMs;
      this.#atMs = this.#kept(options.atMs);
    }
    this.#draw();
  }

  /** Removes it from its element and from the axis. */
  destroy(): void {
    this.#stop();
    this.#timeline.hold(undefined);
    this.#root.replaceChildren();
    this.#root.classList.remove('replay');
  }

  #controls(): HTMLElement {
    const button = (text: string, label: string, act: () => void): HTMLButtonElement => {
      const made = element('button', { type: 'button', title: label, 'aria-label': label }, text);
      made.addEventListener('click', act);
      return made;
    };
    this.#play.addEventListener('click', () => this.#toggle());
    const speeds = SPEEDS.map((speed) => element('option', { value: String(speed) }, `${speed} ×`));
    const speed = element('select', { 'aria-label': 'Speed', title: 'Speed' }, ...speeds);
    speed.addEventListener('change', () => {
      this.#speed = Number(speed.value);
    });
    return element(
      'div',
      { class: 'replay-controls' },
      this.#play,
      button('|◂', 'Previous event (,)', () => this.#toEvent('previous')),
      button('▸|', 'Next event (.)', () => this.#toEvent('next')),
      speed,
      button('Close', 'Close the replay', () => this.#options.onClose()),
      this.#time,
      this.#chaos,
    );
  }

  #key(event: KeyboardEvent, isOnHandle: boolean): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const step = stepMs(this.#replay.lengthMs);
    const keys: Readonly<Record<string, () => void>> = {
      ',': () => this.#toEvent('previous'),
      '.': () => this.#toEvent('next'),
      ...(isOnHandle && {
        ' ': () => this.#toggle(),
        ArrowLeft: () => this.#choose(this.#atMs - step),
        ArrowDown: () => this.#choose(this.#atMs - step),
        ArrowRight: () => this.#choose(this.#atMs + step),
        ArrowUp: () => this.#choose(this.#atMs + step),
        PageDown: () => this.#toEvent('previous'),
        PageUp: () => this.#toEvent('next'),
        Home: () => this.#choose(0),
        End: () => this.#choose(this.#replay.lengthMs),
      }),
    };
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  #toEvent(step: 'next' | 'previous'): void {
    this.#stop();
    const atMs = eventBeside(this.#replay.eventTimes, this.#atMs, step);
    this.#choose(atMs ?? (step === 'next' ? this.#replay.lengthMs : 0));
  }

  /** A moment that the reader has chosen. */
  #choose(atMs: number): void {
    this.#atMs = this.#kept(atMs);
    this.#draw();
    this.#report();
  }

  #kept(atMs: number): number {
    return Math.min(this.#replay.lengthMs, Math.max(0, atMs));
  }

  #toggle(): void {
    if (this.#frame !== undefined) {
      this.#stop();
      this.#report();
      return;
    }
    // At its end it begins anew.
    if (this.#atMs >= this.#replay.lengthMs) this.#atMs = 0;
    this.#drawnAt = undefined;
    this.#frame = requestAnimationFrame((now) => this.#tick(now));
    this.#showPlaying();
  }

  #stop(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    this.#showPlaying();
  }

  #tick(now: number): void {
    const passed = now - (this.#drawnAt ?? now);
    if (this.#drawnAt === undefined || !this.#calm.matches || passed >= CALM_MS) {
      this.#drawnAt = now;
      const before = this.#atMs;
      this.#atMs = played(before, passed, this.#speed, this.#replay.lengthMs);
      this.#draw();
      const next = eventBeside(this.#replay.eventTimes, before, 'next');
      const isNews = next !== undefined && next <= this.#atMs;
      if (isNews && now - this.#reportedAt >= FOLLOW_MS) this.#report(now);
    }
    if (this.#atMs >= this.#replay.lengthMs) {
      this.#stop();
      this.#report();
      return;
    }
    this.#frame = requestAnimationFrame((then) => this.#tick(then));
  }

  #report(now = performance.now()): void {
    this.#reportedAt = now;
    this.#reportedMs = Math.round(this.#atMs);
    this.#options.onMoment(this.#reportedMs);
  }

  #showPlaying(): void {
    const isPlaying = this.#frame !== undefined;
    setText(this.#play, isPlaying ? 'Pause' : 'Play');
    this.#play.dataset.playing = String(isPlaying);
  }

  #draw(): void {
    const { lengthMs } = this.#replay;
    const now = this.#picture.draw(this.#atMs);
    setText(this.#says, now?.sentence ?? '');
    setText(this.#chaos, now?.chaos ?? '');
    setText(this.#time, `+${(this.#atMs / 1000).toFixed(1)} s of ${durationWords(lengthMs)}`);
    this.#handle.move(this.#atMs);
    // While it plays, a screen reader is not told of each frame.
    if (this.#frame === undefined)
      this.#handle.tell(lengthMs, `${offsetWords(this.#atMs)}: ${now?.sentence ?? ''}`);
  }
}

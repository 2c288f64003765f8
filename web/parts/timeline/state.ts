import type { Axis } from '../../models/timeline/axis.ts';
import type { Layout } from '../../models/timeline/layout.ts';
import type { Window } from '../../models/timeline/window.ts';

/** The reader's choices on the time axis, all of which can be part of a link. */
export interface TimelineView {
  /** Undefined shows the whole run, also while it grows. */
  readonly window: Window | undefined;
  readonly selected: number | undefined;
  /** Groups whose lanes are hidden. */
  readonly folded: ReadonlySet<string>;
  readonly isTable: boolean;
}

/** Options of a time axis. */
export interface TimelineOptions {
  readonly axis: Axis;
  /** Whether the run is unfinished; a line shows its current end. */
  readonly isRunning: boolean;
  readonly view: TimelineView;
  /** Numbers of marks to point at. */
  readonly evidence: readonly number[];
  /** Called at every change by the reader. */
  onView(view: TimelineView): void;
  /** Called when the reader opens a mark. */
  onOpen(mark: number): void;
  /** Called when the pointer moves to another mark or lane. */
  onHover?(place: AxisPlace | undefined): void;
}

/** A place on the axis: numbers of its mark and its lane. */
export interface AxisPlace {
  readonly mark: number | undefined;
  readonly lane: number | undefined;
}

/** A moment that is shown on the axis: by an element over the ticks, and a line through all lanes. */
export interface Handle {
  readonly element: HTMLElement;
  readonly line: HTMLElement;
  /** Called at each drawing with what is shown, and how wide that is in pixels. */
  place(window: Window, width: number): void;
}

/** The current drawing: options, derived data, and the pointer. Not part of links or of a view's state. */
export interface Scene {
  options: TimelineOptions;
  layout: Layout;
  /** Size of the stage, in pixels. */
  width: number;
  height: number;
  /** Scroll offset of the lanes. */
  top: number;
  pointer: { readonly x: number; readonly y: number } | undefined;
  /** Lanes of what the reader points at elsewhere. */
  lit: ReadonlySet<number>;
  handle: Handle | undefined;
}

/** The default view: everything is shown and nothing is selected. */
export const WHOLE_RUN: TimelineView = {
  window: undefined,
  selected: undefined,
  folded: new Set(),
  isTable: false,
};

import type { Axis } from '../../models/timeline/axis.ts';
import type { Layout } from '../../models/timeline/layout.ts';
import type { Window } from '../../models/timeline/window.ts';

/** What a reader of the time axis has chosen: all of it can stand in a link. */
export interface TimelineView {
  /** Undefined shows the whole run, also while it grows. */
  readonly window: Window | undefined;
  readonly selected: number | undefined;
  /** Groups whose lanes are hidden. */
  readonly folded: ReadonlySet<string>;
  readonly isTable: boolean;
}

/** What a time axis is given. */
export interface TimelineOptions {
  readonly axis: Axis;
  /** Whether the run is not over: a line shows where it has got to. */
  readonly isRunning: boolean;
  readonly view: TimelineView;
  /** Numbers of marks to point at. */
  readonly evidence: readonly number[];
  /** Told of every change that the reader makes. */
  onView(view: TimelineView): void;
  /** Told that a mark is to be opened. */
  onOpen(mark: number): void;
  /** Told where the pointer is, when that is another mark or lane. */
  onHover?(place: AxisPlace | undefined): void;
}

/** A place on the axis: numbers of the mark and of the lane that are there. */
export interface AxisPlace {
  readonly mark: number | undefined;
  readonly lane: number | undefined;
}

/** What is drawn now: options, what follows from them, and what the pointer does. In no link and in no state of a view. */
export interface Scene {
  options: TimelineOptions;
  layout: Layout;
  /** Size of the stage, in pixels. */
  width: number;
  height: number;
  /** How far the lanes are scrolled. */
  top: number;
  pointer: { readonly x: number; readonly y: number } | undefined;
  /** Lanes of what the reader points at elsewhere. */
  lit: ReadonlySet<number>;
}

/** The view in which everything is shown and nothing is selected. */
export const WHOLE_RUN: TimelineView = {
  window: undefined,
  selected: undefined,
  folded: new Set(),
  isTable: false,
};

import { ROW_HEIGHT } from '../models/timeline/layout.ts';
import type { Colors } from './colors.ts';

/** The overlay of the lanes, with positions in pixels of the canvas. */
interface OverlayPicture {
  readonly width: number;
  readonly height: number;
  /** Where the pointer is. */
  readonly hoverX: number | undefined;
  /** The current end of the run; undefined for a finished run. */
  readonly nowX: number | undefined;
  /** Rows of what the reader points at elsewhere. */
  readonly bands: readonly { readonly top: number; readonly height: number }[];
  /** The marks that are selected or named as evidence. */
  readonly boxes: readonly {
    readonly left: number;
    readonly right: number;
    readonly middle: number;
    readonly isSelected: boolean;
  }[];
}

/** Keeps marks under a band visible. */
const BAND_ALPHA = 0.15;

/** Paints the line of the pointer, that of now, and frames around marks. */
export function paintOverlay(
  context: CanvasRenderingContext2D,
  { width, height, hoverX, nowX, bands, boxes }: OverlayPicture,
  colors: Colors,
): void {
  context.clearRect(0, 0, width, height);
  context.fillStyle = colors.focus;
  context.globalAlpha = BAND_ALPHA;
  for (const { top, height: high } of bands) context.fillRect(0, top, width, high);
  context.globalAlpha = 1;
  if (nowX !== undefined) {
    context.fillStyle = colors.inForce;
    context.fillRect(Math.round(nowX), 0, 2, height);
  }
  if (hoverX !== undefined) {
    context.fillStyle = colors.text;
    context.fillRect(Math.round(hoverX), 0, 1, height);
  }
  context.strokeStyle = colors.focus;
  for (const { left, right, middle, isSelected } of boxes) {
    context.lineWidth = isSelected ? 2 : 1;
    context.setLineDash(isSelected ? [] : [3, 2]);
    const [from, to] = [Math.max(-4, left - 3), Math.min(width + 4, right + 3)];
    context.strokeRect(from, middle - ROW_HEIGHT / 2 + 1, Math.max(8, to - from), ROW_HEIGHT - 2);
  }
}

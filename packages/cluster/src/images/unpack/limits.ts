/** What a layer may expand to. A small archive that fills the disk is refused before it has. */
import { LayerProblem } from './layer-problem.ts';

export interface UnpackLimits {
  /** Bytes of a layer's tar. */
  readonly bytes: number;
  /** Files, folders and links of a layer. */
  readonly entries: number;
  /** Bytes of the tar for one of the archive, once the tar is longer than `freeBytes`: files of zeros shrink to a thousandth, and are small. */
  readonly ratio: number;
  readonly freeBytes: number;
}

const GIBIBYTE = 2 ** 30;

/** Far above images that people run: the largest of those with models and data sets have layers of some 50 GB. */
export const UNPACK_LIMITS: UnpackLimits = {
  bytes: 256 * GIBIBYTE,
  entries: 10_000_000,
  ratio: 200,
  freeBytes: GIBIBYTE,
};

/**
 * Whether it may go on; pure.
 *
 * @throws LayerProblem with the limit that is passed
 */
export function checkExpansion(limits: UnpackLimits, readBytes: number, expandedBytes: number): void {
  if (expandedBytes > limits.bytes) {
    throw new LayerProblem('refused', `it expands to more than ${limits.bytes} bytes`);
  }
  if (expandedBytes > limits.freeBytes && expandedBytes > readBytes * limits.ratio) {
    throw new LayerProblem(
      'refused',
      `it expands to more than ${limits.ratio} times its size (${expandedBytes} bytes of ${readBytes})`,
    );
  }
}

import type { ImageErrorCode } from '../errors.ts';

/** What is wrong with a layer; whoever knows the layer's name makes an `ImageError` of it. */
export class LayerProblem extends Error {
  override readonly name = 'LayerProblem';
  readonly code: ImageErrorCode;

  constructor(code: ImageErrorCode, sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.code = code;
  }
}

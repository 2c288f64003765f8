/** What docs/errors.md says of a code. */
export interface ErrorRow {
  /** What has happened, as a sentence without its dot. */
  readonly means: string;
  /** What the reader can do about it. */
  readonly todo: string;
}

/** A message with its code at the end, by which docs/errors.md is searched: `no pod found [TARGET_SELECTION_ERROR]`. Pure. */
export function withCode(message: string, code: string): string {
  return `${message} [${code}]`;
}

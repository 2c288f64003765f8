/** The configuration of a cluster cannot be used. Names the file, the field, what was found and what to do. */
export class ClusterConfigError extends Error {
  override readonly name = 'ClusterConfigError';
  readonly file: string;
  /** Path of the field inside the file, if it is one field's fault: `users[admin].user.exec.command`. */
  readonly field: string | undefined;

  constructor(file: string, field: string | undefined, problem: string, options?: ErrorOptions) {
    super(`cannot use ${file}${field === undefined ? '' : `: ${field}`}: ${problem}`, options);
    this.file = file;
    this.field = field;
  }
}

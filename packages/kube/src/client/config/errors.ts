/** The configuration of a cluster cannot be used. Names the file, the field, what was found and what to do. */
export class ClusterConfigError extends Error {
  override readonly name = 'ClusterConfigError';

  /** @param field its path inside the file, if it is one field's fault: `users[admin].user.exec.command` */
  constructor(file: string, field: string | undefined, problem: string, options?: ErrorOptions) {
    super(`cannot use ${file}${field === undefined ? '' : `: ${field}`}: ${problem}`, options);
  }
}

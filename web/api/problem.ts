/** An error between the page and its server, in words for the reader. */
export class ApiProblem extends Error {
  /** `unauthenticated`, `forbidden`, `away` and the codes of the server. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ApiProblem';
    this.code = code;
  }
}

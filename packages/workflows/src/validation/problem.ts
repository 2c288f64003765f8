/** One thing that is wrong with a workflow. */
export interface WorkflowProblem {
  /** The field, for people: `spec.templates[1].steps[0][2].arguments`. */
  readonly path: string;
  /** The sentence as clients of Argo know it: it begins with the place in Argo's own words. */
  readonly text: string;
}

/** Takes problems. */
export type ProblemSink = Pick<Problems, 'add'>;

/** Collects problems in the order of the walk: the first of them is the one that Argo would report, since Argo stops there. */
export class Problems {
  readonly #found = new Map<string, WorkflowProblem>();

  add(path: string, text: string): void {
    const key = `${path} ${text}`;
    if (!this.#found.has(key)) this.#found.set(key, { path, text });
  }

  /** Reports into the same list, with the calls that led to a template before each sentence. */
  within(prefix: string): ProblemSink {
    return { add: (path, text) => this.add(path, `${prefix}${text}`) };
  }

  list(): WorkflowProblem[] {
    return [...this.#found.values()];
  }
}

/** What is compared of a step. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as JSON value, or as text where it is none. Absent for watches. */
  readonly body?: unknown;
  /** Watch events in order. */
  readonly events?: readonly unknown[];
}

/** An answer beside the step that it answers. */
export interface RecordedStep extends Answer {
  readonly step: string;
}

/** A body as JSON value, or as text where it is none. */
export function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/**
 * What a scenario is made of. Scenarios are data: requests in order, with what later requests need captured from
 * earlier answers. `{name}` stands for a variable anywhere in a path, a header or a string of a body; `{ns}` is the
 * scenario's own namespace.
 */

/** Formats of a patch by their usual names. */
export const PATCH_CONTENT_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** What a request may carry besides its path and body. */
export interface RequestDetails {
  readonly headers?: Readonly<Record<string, string>>;
  /** Variables that later steps use, as JSON pointers into the body of the answer. */
  readonly capture?: Readonly<Record<string, string>>;
  /** JSON pointers that are not compared; `*` stands for one segment. Say why in a comment beside it. */
  readonly ignore?: readonly string[];
  /** JSON pointers into the body of the only values that are compared, for documents of which little is common. */
  readonly only?: readonly string[];
  /** Managed fields are compared only where a scenario is about them. @default false */
  readonly managedFields?: boolean;
}

/** One request; its answer is compared. */
export interface RequestStep extends RequestDetails {
  /** `GET /api/v1/namespaces/{ns}/pods`. */
  readonly request: string;
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
  /** The answer must be a 2xx and is not compared: the scenario is about something else. */
  readonly setup?: boolean;
}

/** Opens a watch that runs beside the next steps. */
export interface WatchStep {
  /** Path and query of the watch, `watch=1` included. */
  readonly watch: string;
  readonly as: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What ends the collection of watch events. */
export interface Marker {
  readonly type?: string;
  /** `metadata.name` of the event's object. */
  readonly name?: string;
}

/** Takes the events of a watch up to the marker, or to the end of the stream; they are compared. */
export interface CollectStep {
  readonly collect: string;
  readonly until: Marker | 'end';
  readonly ignore?: readonly string[];
  readonly managedFields?: boolean;
}

/** Asks again until the answer is as wanted (controllers work beside the requests); only that answer is compared. */
export interface AwaitStep extends RequestDetails {
  readonly awaiting: string;
  /** Wanted status code. @default 200 */
  readonly status?: number;
  /** Wanted values by JSON pointer; `undefined` in JSON cannot be wanted, use `absent`. */
  readonly equals?: Readonly<Record<string, unknown>>;
  /** JSON pointers at which nothing may be. */
  readonly absent?: readonly string[];
  readonly setup?: boolean;
}

export type Step = RequestStep | WatchStep | CollectStep | AwaitStep;

export interface Scenario {
  /** Unique, kebab-case; its namespace is `c-<name>`. */
  readonly name: string;
  readonly steps: readonly Step[];
}

/** A file of scenarios. */
export interface Theme {
  readonly theme: string;
  readonly scenarios: readonly Scenario[];
}

/** The namespace in which a scenario happens. */
export function namespaceOf(scenario: Scenario): string {
  return `c-${scenario.name}`;
}

/** How a step is called in recordings and reports. */
export function titleOf(step: Step): string {
  if ('request' in step) return step.request;
  if ('watch' in step) return `WATCH ${step.watch}`;
  if ('collect' in step) return `EVENTS ${step.collect}`;
  return `AWAIT ${step.awaiting}`;
}

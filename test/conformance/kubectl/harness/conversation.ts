/**
 * What a conversation is made of: lines as a user types them at a shell, in order. They find the files of `manifests/` in their folder, and
 * `$NS` (the conversation's own namespace, that of the current context), `$NODE` (the only node), and the kubeconfig `nobody` without credentials. Objects without a namespace are named
 * after `$NS`, so that conversations may be held side by side.
 */

/** A line; what it prints and its exit code are compared. */
export type Line = string;

/** A line that only makes ready what the conversation is about: it has to succeed, and what it prints is not compared. */
export interface SetupLine {
  readonly setup: string;
}

/** A line that is said again until what it prints is as wanted, because nothing tells when the server has taken notice; not compared. */
export interface UntilLine {
  readonly until: string;
  readonly prints: RegExp;
}

export type Step = Line | SetupLine | UntilLine;

export interface Conversation {
  /** Short, in kebab case; also the name of the namespace, `k-<name>`. */
  readonly name: string;
  readonly steps: readonly Step[];
  /** Lines that remove what has no namespace; whether they succeed does not matter. */
  readonly after?: readonly string[];
  /** It changes the node: nothing else is said meanwhile. @default false */
  readonly alone?: boolean;
  /** The lines of each answer are sorted before they are compared: their order is chance. @default false */
  readonly sorted?: boolean;
}

/** Conversations about one subject; their answers are in one file. */
export interface Theme {
  readonly theme: string;
  readonly conversations: readonly Conversation[];
}

/** Short form of {@link SetupLine}. */
export function setup(line: string): SetupLine {
  return { setup: line };
}

/** Short form of {@link UntilLine}. */
export function until(line: string, prints: RegExp): UntilLine {
  return { until: line, prints };
}

/** The namespace of a conversation. Pure. */
export function namespaceOf({ name }: Conversation): string {
  return `k-${name}`;
}

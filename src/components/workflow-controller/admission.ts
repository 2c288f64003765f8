/** How many workflows may run at the same time: of the controller, and of each namespace. */
interface AdmissionLimits {
  /** 0 for any number. */
  readonly parallelism: number;
  /** Limit of a namespace; 0 for any number. */
  readonly ofNamespace: (namespace: string) => number;
}

/** A workflow that wants to begin. */
export interface Applicant {
  readonly key: string;
  readonly namespace: string;
  readonly priority: number;
  /** Milliseconds since 1970: with the same priority the older one comes first. */
  readonly createdAt: number;
}

/** The message of a workflow that has to wait. */
export const POSTPONED =
  'Workflow processing has been postponed because too many workflows are already running';

/**
 * Which workflows may run where their number is limited, and which is next. Workflows of a full namespace do not delay those of another.
 * Pure but for its own state.
 */
export class Admission {
  readonly #limits: () => AdmissionLimits;
  /** Namespaces of the workflows that run, by key. */
  readonly #running = new Map<string, string>();
  readonly #waiting = new Map<string, Applicant>();

  constructor(limits: () => AdmissionLimits) {
    this.#limits = limits;
  }

  /** Notes a workflow that runs already, whatever the limits say. */
  runs(key: string, namespace: string): void {
    this.#waiting.delete(key);
    this.#running.set(key, namespace);
  }

  /** Whether a workflow may begin now; one that may not waits in line. */
  admits(applicant: Applicant): boolean {
    if (this.#running.has(applicant.key)) return true;
    const { parallelism, ofNamespace } = this.#limits();
    if (parallelism === 0 && ofNamespace(applicant.namespace) === 0) {
      this.runs(applicant.key, applicant.namespace);
      return true;
    }
    this.#waiting.set(applicant.key, applicant);
    if (!this.next().includes(applicant.key)) return false;
    this.runs(applicant.key, applicant.namespace);
    return true;
  }

  /** A workflow is over or gone; the keys of those that may begin now. */
  left(key: string): readonly string[] {
    this.#waiting.delete(key);
    if (!this.#running.delete(key)) return [];
    return this.next();
  }

  /** Keys of the waiting ones that may begin now. */
  next(): readonly string[] {
    if (this.#waiting.size === 0) return [];
    const { parallelism, ofNamespace } = this.#limits();
    const counts = new Map<string, number>();
    for (const namespace of this.#running.values()) counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
    let running = this.#running.size;
    const admitted: string[] = [];
    for (const { key, namespace } of [...this.#waiting.values()].sort(byTurn)) {
      if (parallelism > 0 && running >= parallelism) break;
      const limit = ofNamespace(namespace);
      const count = counts.get(namespace) ?? 0;
      if (limit > 0 && count >= limit) continue;
      counts.set(namespace, count + 1);
      running += 1;
      admitted.push(key);
    }
    return admitted;
  }
}

function byTurn(a: Applicant, b: Applicant): number {
  return b.priority - a.priority || a.createdAt - b.createdAt || (a.key < b.key ? -1 : 1);
}

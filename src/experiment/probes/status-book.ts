import type { ProbeStatus } from '../../api/schema/result.ts';
import type { ProbeMode, ProbeType, ProbeVerdict } from '../../api/schema/vocabulary.ts';

/** What the book needs to know of a probe. */
interface ListedProbe {
  readonly name: string;
  readonly type: ProbeType;
  readonly mode: ProbeMode;
}

/** The statuses of all probes of a run, by their place in the list; the only writer of verdicts. */
export class StatusBook {
  #statuses: readonly ProbeStatus[];
  readonly #onChange: (statuses: ProbeStatus[]) => void;

  constructor(probes: readonly ListedProbe[], onChange: (statuses: ProbeStatus[]) => void) {
    this.#statuses = probes.map(({ name, type, mode }) => ({
      name,
      type,
      mode,
      status: { verdict: 'Awaited' },
    }));
    this.#onChange = onChange;
  }

  /** The verdict of the probe at `index`. */
  verdict(index: number): ProbeVerdict {
    return this.#statuses[index]?.status.verdict ?? 'Awaited';
  }

  /** Sets verdict and description; calls back when that changes anything. */
  set(index: number, verdict: ProbeVerdict, description: string): void {
    const before = this.#statuses[index];
    if (before === undefined) return;
    if (before.status.verdict === verdict && before.status.description === description) return;
    this.#statuses = this.#statuses.with(index, { ...before, status: { verdict, description } });
    this.#onChange(this.all());
  }

  /** A copy that the caller may keep. */
  all(): ProbeStatus[] {
    return this.#statuses.map((probe) => ({ ...probe, status: { ...probe.status } }));
  }
}

import type { ProbeType } from '../../api/probe-types/index.ts';
import type { ProbeStatus, ProbeSummary } from '../../api/schema/result.ts';
import type { ProbeMode, ProbeVerdict } from '../../api/schema/vocabulary.ts';
import { withPoint } from './measured-points.ts';
import type { MeasuredNumber } from './outcome.ts';

/** What the book needs to know of a probe. */
interface ListedProbe {
  readonly name: string;
  readonly type: ProbeType;
  readonly mode: ProbeMode;
}

/** Least time between two calls for a new number only: a status that only gets longer is not worth a write each time. */
const NUMBERS_MS = 2000;

/** Least time between two calls for a new text only: what a probe finds may change a hundred times a second. */
const TEXTS_MS = 1000;

/** The statuses of all probes of a run, by their place in the list; the only writer of verdicts. */
export class StatusBook {
  #statuses: readonly ProbeStatus[];
  readonly #onChange: (statuses: ProbeStatus[]) => void;
  readonly #soFar: (index: number) => ProbeSummary | undefined;
  #reportedAtMs: number | undefined;
  #textAtMs: number | undefined;

  /**
   * @param onChange gets the statuses with what was measured up to then
   * @param soFar what the probe of an index has measured up to now
   */
  constructor(
    probes: readonly ListedProbe[],
    onChange: (statuses: ProbeStatus[]) => void,
    soFar: (index: number) => ProbeSummary | undefined = () => undefined,
  ) {
    this.#statuses = probes.map(({ name, type, mode }) => ({
      name,
      type,
      mode,
      status: { verdict: 'Awaited' },
    }));
    this.#onChange = onChange;
    this.#soFar = soFar;
  }

  /** Sets what the probe at `index` asks; the next change carries it. */
  describe(index: number, subject: string): void {
    const before = this.#statuses[index];
    if (before !== undefined) this.#statuses = this.#statuses.with(index, { ...before, subject });
  }

  /** The verdict of the probe at `index`. */
  verdict(index: number): ProbeVerdict {
    return this.#statuses[index]?.status.verdict ?? 'Awaited';
  }

  /** Sets verdict and description; calls back when that changes anything, a new text alone at most every {@link TEXTS_MS}. */
  set(index: number, verdict: ProbeVerdict, description: string, atMs: number): void {
    const before = this.#statuses[index];
    if (before === undefined) return;
    const { status } = before;
    if (status.verdict === verdict && status.description === description) return;
    this.#statuses = this.#statuses.with(index, { ...before, status: { verdict, description } });
    const isText = status.verdict === verdict && status.description !== undefined;
    if (isText && atMs - (this.#textAtMs ?? -Infinity) < TEXTS_MS) return;
    this.#textAtMs = atMs;
    this.#report();
  }

  /** Keeps a number that the probe at `index` measured. The next change carries it; if none comes for long, this calls back by itself. */
  measured(index: number, number: MeasuredNumber | undefined, atMs: number): void {
    const before = this.#statuses[index];
    if (before === undefined || number === undefined) return;
    const after = { ...before, measured: withPoint(before.measured, number, atMs) };
    this.#statuses = this.#statuses.with(index, after);
    this.#reportedAtMs ??= atMs;
    if (atMs - this.#reportedAtMs < NUMBERS_MS) return;
    this.#reportedAtMs = atMs;
    this.#report();
  }

  /** Sums up the measurements of the probe at `index`; the next change carries it. */
  summarize(index: number, summary: ProbeSummary): void {
    const before = this.#statuses[index];
    if (before !== undefined && summary.measurements > 0)
      this.#statuses = this.#statuses.with(index, { ...before, summary });
  }

  #report(): void {
    const statuses = this.all().map((probe, index) => {
      const summary = probe.summary ?? this.#soFar(index);
      return summary === undefined || summary.measurements === 0 ? probe : { ...probe, summary };
    });
    this.#onChange(statuses);
  }

  /** A copy that the caller may keep. */
  all(): ProbeStatus[] {
    return this.#statuses.map((probe) => ({ ...probe, status: { ...probe.status } }));
  }
}

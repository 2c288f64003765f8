import { messageOf } from '@turnsole/kube/text/error-message';
import { humanTime } from '@turnsole/kube/text/human-time';
import type { ProbeStatus } from '../../api/schema/result.ts';
import type { ProbeVerdict } from '../../api/schema/vocabulary.ts';
import { DEFAULT_MINIMUM_COVERAGE } from '../../chaos/coverage.ts';
import type { Span } from '../../chaos/force-windows.ts';
import { summaryWords } from '../../chaos/probe-words/summary-words.ts';
import { runAttempts } from './attempts.ts';
import { BackgroundProbe } from './background-probe.ts';
import { errorCode } from './codes.ts';
import { type CompiledProbe, compileProbes, DEFAULT_PATH } from './definition.ts';
import { definitionOutcome } from './definition-outcome.ts';
import type { Evidence, TimedRun } from './evidence.ts';
import { ForceRecord, NOTHING_INJECTED } from './in-force.ts';
import {
  endsPhase,
  findingOf,
  isTooBusy,
  type Measurement,
  type PhaseOutcome,
  type ProbeFinding,
  phaseOutcome,
  textOf,
  withShortText,
  withWords,
} from './outcome.ts';
import type { Release } from './probe-kind.ts';
import { ProbeLog } from './probe-log.ts';
import { loadProbeKind } from './registry.ts';
import type { ProbeChange, ProbeNews, ProbeRunner, ProbeRunnerOptions } from './runner-types.ts';
import { actionIn, type ProbePhase, verdictAfter } from './schedule.ts';
import { StatusBook } from './status-book.ts';
import { subjectOf } from './subject.ts';
import { renderTemplate } from './template.ts';
import { withTimeLimit } from './time-limit.ts';

/**
 * Gives a runner for the probes of one run of one experiment. It begins at once to load their code and to check their
 * definitions, beside whatever the experiment does first; nothing is measured before `preChaos`.
 */
export function createProbeRunner(options: ProbeRunnerOptions): ProbeRunner {
  return new Runner(options);
}

class Runner implements ProbeRunner {
  readonly #options: ProbeRunnerOptions;
  readonly #aborting = new AbortController();
  readonly #signal: AbortSignal;
  readonly #book: StatusBook;
  readonly #registered = new Map<string, string>();
  readonly #backgrounds = new Map<number, BackgroundProbe>();
  /** Background probes that wait until the fault is in force. */
  readonly #waiting = new Set<number>();
  /** When the fault was in force, and what probes measured of it. */
  readonly #force = new ForceRecord();
  /** How far the fault is, for background probes. */
  readonly #fault: { isArmed: boolean; sinceMs: number | undefined } = { isArmed: false, sinceMs: undefined };
  /** Resources of probes that they have not released yet. */
  readonly #held = new Map<number, Release>();
  readonly #releasing = new Set<Promise<void>>();
  readonly #log: ProbeLog;
  readonly #prepared: ReturnType<typeof compileProbes>;
  /** The last outcome of each probe. */
  readonly #outcomes = new Map<number, Measurement['outcome']>();
  #probes: readonly CompiledProbe[] = [];
  #stopAsked = false;

  constructor(options: ProbeRunnerOptions) {
    this.#options = options;
    this.#log = new ProbeLog(options.logger);
    this.#signal = AbortSignal.any([options.signal, this.#aborting.signal]);
    const { probes, path = DEFAULT_PATH, load = loadProbeKind } = options;
    const defaultTimeoutMs = options.statusCheckTimeoutSeconds * 1000;
    this.#prepared = compileProbes(probes, { path, defaultTimeoutMs, load });
    // The caller of preChaos gets the failure; without that call it is not needed.
    this.#prepared.catch(() => undefined);
    this.#book = new StatusBook(
      probes,
      (statuses) => this.#guard(() => options.onUpdate(statuses)),
      (index) => this.#backgrounds.get(index)?.summary(),
    );
  }

  async preChaos(): Promise<PhaseOutcome> {
    const { compiled, problems } = await this.#prepared;
    if (problems.length > 0) return definitionOutcome(this.#options.probes, problems);
    this.#probes = compiled;
    for (const [index, probe] of compiled.entries())
      this.#book.describe(index, subjectOf(probe, this.#registered));
    return this.#phase('PreChaos', () => this.#runInOrder('PreChaos'));
  }

  prepareChaos(): Promise<PhaseOutcome> {
    return this.#phase('DuringChaos', () => this.#runInOrder('DuringChaos'));
  }

  async steadyState(): Promise<PhaseOutcome> {
    const findings: ProbeFinding[] = [];
    const asked = [...this.#backgrounds].map(async ([index, background]) => ({
      index,
      run: await background.freshRun(),
    }));
    for (const { index, run } of await Promise.all(asked)) {
      const finding = this.#unsteady(index, run);
      if (finding !== undefined) findings.push(finding);
    }
    this.#fault.isArmed = findings.length === 0;
    return phaseOutcome(findings);
  }

  injecting(atMs: number = this.#options.clock.now()): void {
    if (this.#fault.sinceMs !== undefined && this.#fault.sinceMs <= atMs) return;
    this.#fault.isArmed = false;
    this.#fault.sinceMs = atMs;
    for (const [index, background] of this.#backgrounds) {
      background.injected(atMs);
      this.#recordDecisive(index, background);
    }
  }

  chaosBegan(atMs?: number): void {
    const nowMs = this.#options.clock.now();
    if (this.#signal.aborted || !this.#force.began(nowMs)) return;
    // A clock of a node that goes wrong must not make what was found before the fault its doing.
    this.injecting(atMs === undefined || atMs > nowMs ? nowMs : atMs);
    for (const background of this.#backgrounds.values()) background.measureNow();
    for (const index of this.#waiting) {
      const probe = this.#probes[index];
      if (probe === undefined) continue;
      this.#news(probe, 'began', beginning(probe.run.initialDelayMs));
      this.#begin(index, probe, 'DuringChaos');
    }
    this.#waiting.clear();
  }

  chaosEnded(atMs?: number): void {
    const nowMs = this.#options.clock.now();
    if (!this.#force.ended(nowMs, atMs)) return;
    for (const [index, background] of this.#backgrounds) {
      background.reverted(this.#force.untilMs ?? nowMs);
      if (this.#probes[index]?.mode === 'OnChaos') background.stop();
    }
  }

  measuredIn(spans: readonly Span[]): void {
    this.#force.measuredIn(spans);
  }

  postChaos(): Promise<PhaseOutcome> {
    this.chaosEnded();
    return this.#phase('PostChaos', async () => {
      const background = await this.#evaluateBackground();
      if (background.some(endsPhase)) return background;
      return [...background, ...(await this.#runInOrder('PostChaos'))];
    });
  }

  statuses(): ProbeStatus[] {
    return this.#book.all();
  }

  async abort(): Promise<void> {
    this.#aborting.abort(new Error('the probes were aborted'));
    await Promise.all([...this.#backgrounds.values()].map(({ done }) => done));
    for (const index of this.#held.keys()) this.#release(index);
    await Promise.all(this.#releasing);
  }

  async #phase(phase: ProbePhase, work: () => Promise<readonly ProbeFinding[]>): Promise<PhaseOutcome> {
    this.#signal.throwIfAborted();
    try {
      const findings = await work();
      // Nothing may go on in the background when the run ends here, or is over anyway.
      if (phase === 'PostChaos' || findings.some(endsPhase)) await this.abort();
      return phaseOutcome(findings);
    } catch (error) {
      // Each interrupted part reports it in its own way; the caller gets the reason of the abort.
      this.#signal.throwIfAborted();
      throw error;
    }
  }

  /** Probes of a phase one after another in list order, up to the first that ends it. */
  async #runInOrder(phase: ProbePhase): Promise<readonly ProbeFinding[]> {
    const findings: ProbeFinding[] = [];
    for (const [index, probe] of this.#probes.entries()) {
      const action = actionIn(phase, probe.mode);
      if (action === 'start') {
        const problem = await this.#start(index, probe, phase);
        if (problem !== undefined) return [...findings, problem];
      }
      if (action !== 'once') continue;
      const measurement = await this.#runOnce(index, probe);
      this.#record(index, probe, phase, measurement);
      const finding = findingOf({ name: probe.name, stopOnFailure: probe.run.stopOnFailure }, measurement);
      if (finding === undefined) continue;
      findings.push(finding);
      if (endsPhase(finding)) break;
    }
    return findings;
  }

  async #runOnce(index: number, probe: CompiledProbe): Promise<Measurement> {
    const problem = await this.#prepare(index, probe);
    if (problem !== undefined) return problem;
    try {
      if (probe.run.initialDelayMs > 0)
        await this.#options.clock.sleep(probe.run.initialDelayMs, this.#signal);
      return await this.#run(probe, this.#signal);
    } finally {
      this.#release(index);
    }
  }

  /** Makes what the probe needs; gives what kept that from being made. */
  async #prepare(index: number, { kind, source, type }: CompiledProbe): Promise<Measurement | undefined> {
    if (kind.prepare === undefined) return undefined;
    const { client, clock, env, statusCheckTimeoutSeconds } = this.#options;
    try {
      const release = await kind.prepare(source, {
        client,
        clock,
        env,
        signal: this.#signal,
        timeoutMs: statusCheckTimeoutSeconds * 1000,
      });
      if (release !== undefined) this.#held.set(index, release);
      return undefined;
    } catch (error) {
      this.#signal.throwIfAborted();
      const reason = messageOf(error);
      return withShortText({ outcome: 'error', code: errorCode(type), reason });
    }
  }

  #release(index: number): void {
    const release = this.#held.get(index);
    if (release === undefined) return;
    this.#held.delete(index);
    const done = release().finally(() => this.#releasing.delete(done));
    this.#releasing.add(done);
  }

  /**
   * Starts a background probe, or has it wait until the fault is in force; gives what keeps it from starting. What a probe can do
   * only once it does while the fault is in force, whatever its mode.
   */
  async #start(index: number, probe: CompiledProbe, phase: ProbePhase): Promise<ProbeFinding | undefined> {
    const problem = await this.#prepare(index, probe);
    if (problem !== undefined) {
      this.#record(index, probe, phase, problem);
      return findingOf({ name: probe.name, stopOnFailure: probe.run.stopOnFailure }, problem);
    }
    if (phase === 'DuringChaos' || isOnce(probe)) this.#waiting.add(index);
    else this.#begin(index, probe, phase);
    return undefined;
  }

  #begin(index: number, probe: CompiledProbe, phase: ProbePhase): void {
    const { clock, isDryRun = false, ignoresSteadyState = false, chaosDurationMs } = this.#options;
    const background = new BackgroundProbe({
      probe,
      clock,
      signal: this.#signal,
      once: isOnce(probe),
      // One that stops the run does so whenever it fails, and no fault follows a dry run.
      countsAlways: ignoresSteadyState || isDryRun || probe.run.stopOnFailure,
      durationMs: chaosDurationMs,
      fault: this.#fault,
      run: (signal, stopping) => this.#run(probe, signal, stopping),
      onRun: (run, evidence) => {
        if (!isTooBusy(run.measurement)) this.#force.add(index, run.times);
        this.#onBackgroundRun(index, probe, phase, run, evidence);
      },
    });
    this.#backgrounds.set(index, background);
    void background.done.then(() => this.#release(index));
  }

  #onBackgroundRun(
    index: number,
    probe: CompiledProbe,
    phase: ProbePhase,
    run: TimedRun,
    { decisive }: Evidence,
  ): void {
    const { measurement } = run;
    // With a tolerance nothing is decided before all is measured.
    const counts = decisive !== undefined && probe.tolerance === undefined;
    this.#record(index, probe, phase, measurement, { counts });
    if (measurement.outcome === 'passed' || isTooBusy(measurement)) return;
    if (this.#fault.isArmed && this.#backgrounds.get(index)?.isUnsteady(run) === true)
      this.#guard(() => this.#options.onUnsteady?.(this.#describeUnsteady(probe, run)));
    if (measurement.outcome !== 'failure' || !probe.run.stopOnFailure || this.#stopAsked) return;
    this.#stopAsked = true;
    this.#guard(() => this.#options.onStop(`probe '${probe.name}' failed: ${measurement.reason}`));
  }

  /** A run that was taken for one before the fault may turn out to have seen it. */
  #recordDecisive(index: number, { decisive }: BackgroundProbe): void {
    const probe = this.#probes[index];
    if (decisive === undefined || probe === undefined || probe.tolerance !== undefined) return;
    const { outcome } = decisive.measurement;
    const before = this.#book.verdict(index);
    const verdict = verdictAfter({ mode: probe.mode, phase: 'DuringChaos', outcome, before, final: false });
    this.#setStatus(index, verdict, textOf(decisive.measurement));
  }

  /** What keeps a Continuous probe from being a sign of steady state; undefined when it is one. Marks the probe. */
  #unsteady(index: number, run: TimedRun | undefined): ProbeFinding | undefined {
    const probe = this.#probes[index];
    if (probe === undefined || run === undefined) return undefined;
    if (this.#backgrounds.get(index)?.isUnsteady(run) !== true) return undefined;
    const unsteady = this.#describeUnsteady(probe, run);
    if (unsteady.kind === 'failure') this.#setStatus(index, 'Failed', unsteady.reason);
    return unsteady;
  }

  #describeUnsteady(probe: CompiledProbe, { measurement, times }: TimedRun): ProbeFinding {
    const { name, run, type } = probe;
    const since = this.#backgrounds.get(this.#probes.indexOf(probe))?.summary().failingSince?.time;
    const forMs = since === undefined ? 0 : times.endedMs - Date.parse(since);
    const reason = `${textOf(measurement)} (before the fault, for ${humanTime(forMs)} by then)`;
    const kind = measurement.outcome === 'error' ? 'error' : 'failure';
    const code = measurement.outcome === 'passed' ? errorCode(type) : measurement.code;
    return { probe: name, kind, code, reason, stopOnFailure: run.stopOnFailure };
  }

  /** Stops all background probes at once, then judges them in list order. */
  async #evaluateBackground(): Promise<readonly ProbeFinding[]> {
    const { clock, statusCheckTimeoutSeconds } = this.#options;
    const due = [...this.#probes.entries()].filter(
      ([, { mode }]) => actionIn('PostChaos', mode) === 'evaluate',
    );
    for (const [index] of due) this.#backgrounds.get(index)?.stop();
    // One limit for all: they end side by side, not one after another.
    const all = due.map(([index]) => this.#backgrounds.get(index)?.done);
    const ms = statusCheckTimeoutSeconds * 1000;
    await withTimeLimit({ clock, ms, signal: this.#signal }, () => Promise.all(all));
    const findings: ProbeFinding[] = [];
    for (const [index, probe] of due) {
      const background = this.#backgrounds.get(index);
      const judged = await this.#finalRun(index);
      const summary = background?.summary();
      if (summary !== undefined) this.#book.summarize(index, summary);
      const concluding = judged && summary && probe.kind.conclude?.(probe.source, judged, summary);
      const measurement = (await concluding) ?? judged;
      const finding =
        measurement === undefined
          ? this.#recordUnmeasured(index, probe)
          : this.#recordMeasured(index, probe, measurement);
      if (finding !== undefined) findings.push(finding);
    }
    return findings;
  }

  /** The run by which a background probe is judged; undefined when none of its runs says anything of the fault. */
  async #finalRun(index: number): Promise<Measurement | undefined> {
    const judged = await this.#backgrounds.get(index)?.judged();
    if (judged?.outcome !== 'passed') return judged;
    return this.#force.hasMeasured(index) && this.#missed(index) === undefined ? judged : undefined;
  }

  /** What a probe that measured has not seen of the fault, although it should have. */
  #missed(index: number): string | undefined {
    const probe = this.#probes[index];
    // What is done once, or lasts, says itself how much it has measured.
    if (probe === undefined || isOnce(probe) || probe.kind.isLasting === true) return undefined;
    const { pollingMs, initialDelayMs } = probe.run;
    const { minimumCoverage = DEFAULT_MINIMUM_COVERAGE } = this.#options;
    return this.#force.describeMissed(index, {
      pauseMs: Math.max(pollingMs, initialDelayMs),
      minimumCoverage,
    });
  }

  #recordMeasured(index: number, probe: CompiledProbe, measurement: Measurement): ProbeFinding | undefined {
    const words = this.#words(index, probe);
    this.#record(index, probe, 'PostChaos', withWords(measurement, words), { final: true });
    if (this.#force.sinceMs !== undefined) {
      const measured = this.#force.describeMeasured(index);
      this.#news(probe, 'ended', words === '' ? measured : `${measured}: ${words}`);
    }
    return findingOf({ name: probe.name, stopOnFailure: probe.run.stopOnFailure }, measurement);
  }

  /** A dry run has nothing to measure; elsewhere a probe that did not measure the fault could not be evaluated. */
  #recordUnmeasured(index: number, probe: CompiledProbe): ProbeFinding | undefined {
    const { isDryRun = false } = this.#options;
    const { mode, name, run } = probe;
    const missed = this.#force.hasMeasured(index) ? this.#missed(index) : undefined;
    const reason = isDryRun
      ? NOTHING_INJECTED
      : (missed ?? this.#force.describeUnmeasured(index, run.initialDelayMs, this.#options.overload?.()));
    const before = this.#book.verdict(index);
    const judged = { mode, phase: 'PostChaos', outcome: 'unmeasured', before, final: true } as const;
    this.#setStatus(index, verdictAfter(judged), reason);
    if (isDryRun) return undefined;
    this.#news(probe, 'unmeasured', reason);
    this.#options.logger.warn({ probe: name, mode, description: reason }, 'probe did not measure the fault');
    return {
      probe: name,
      kind: 'error',
      code: errorCode(probe.type),
      reason,
      stopOnFailure: run.stopOnFailure,
    };
  }

  /** What a background probe measured, in a sentence; empty for one that is done once, or of a dry run. */
  #words(index: number, probe: CompiledProbe): string {
    const summary = this.#backgrounds.get(index)?.summary();
    const isSeries = summary !== undefined && summary.measurements > 0 && !isOnce(probe);
    return isSeries && this.#options.isDryRun !== true ? summaryWords(summary, probe.type) : '';
  }

  #news({ name, type, mode }: CompiledProbe, what: ProbeNews['what'], text: string): void {
    this.#guard(() => this.#options.onNews?.({ probe: name, type, mode, what, text }));
  }

  async #run(probe: CompiledProbe, signal: AbortSignal, stopping?: AbortSignal): Promise<Measurement> {
    const { client, clock, env } = this.#options;
    const measured = await runAttempts({
      type: probe.type,
      limits: { ...probe.run, timeoutMs: probe.kind.attemptLimitMs?.(probe.run) ?? probe.run.timeoutMs },
      clock,
      signal,
      subject: () => subjectOf(probe, this.#registered),
      measure: (attemptSignal, onProcess) =>
        probe.kind.measure(probe.source, {
          client,
          clock,
          env,
          signal: attemptSignal,
          ...(stopping !== undefined && { stopping }),
          onProcess,
          limits: probe.run,
          chaosSinceMs: this.#force.sinceMs,
          render: (text) => renderTemplate(text, this.#registered),
        }),
    });
    if (measured.outcome === 'passed' && measured.output !== undefined) {
      this.#registered.set(probe.name, measured.output);
    }
    return withShortText(measured);
  }

  #record(
    index: number,
    probe: CompiledProbe,
    phase: ProbePhase,
    measurement: Measurement,
    { counts = true, final = false }: { readonly counts?: boolean; readonly final?: boolean } = {},
  ): void {
    const { outcome } = measurement;
    const before = this.#book.verdict(index);
    const judged = { mode: probe.mode, phase, outcome, before, final };
    const verdict = outcome === 'passed' || counts ? verdictAfter(judged) : before;
    const text = textOf(measurement);
    if (!final) this.#book.measured(index, measurement.measured, this.#options.clock.now());
    if (!final && this.#outcomes.get(index) !== outcome) {
      this.#outcomes.set(index, outcome);
      const { name, type, mode } = probe;
      const when = phase === 'PostChaos' || this.#force.untilMs !== undefined ? 'after' : this.#whenNow();
      this.#guard(() => this.#options.onChange?.({ probe: name, type, mode, outcome, text, when }));
    }
    // A probe that failed keeps saying why it failed first, until it is judged, whatever a later run finds.
    if (before !== 'Failed' || final) this.#setStatus(index, verdict, text);
    if (!final)
      this.#log.add(index, probe, { phase, outcome, description: text, atMs: this.#options.clock.now() });
  }

  #setStatus(index: number, verdict: ProbeVerdict, description: string): void {
    this.#book.set(index, verdict, description, this.#options.clock.now());
  }

  #whenNow(): ProbeChange['when'] {
    return this.#fault.sinceMs === undefined ? 'before' : 'during';
  }

  /** A callback that throws must not change the verdict of the probe that was just running. */
  #guard(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'callback of the probe runner failed');
    }
  }
}

/** Whether the probe changes something for good, so that it runs once. */
function isOnce({ kind, source }: CompiledProbe): boolean {
  return kind.changesState?.(source) ?? false;
}

function beginning(initialDelayMs: number): string {
  const when = initialDelayMs === 0 ? 'from now on' : `in ${initialDelayMs / 1000} s`;
  return `measures ${when}: the fault is in force`;
}

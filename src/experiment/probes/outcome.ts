import { parseDecimal } from '@turnsole/kube/text/number';
import type { ProbeType } from '../../api/probe-types/index.ts';
import { errorCode, failureCode, type ProbeErrorCode } from './codes.ts';
import type { Comparison } from './comparator.ts';
import type { SeriesMeasurement } from './series/measurement.ts';

/** A number that a probe measured. */
export interface MeasuredNumber {
  /** The measured quantity: `value`, `response time`. */
  readonly what: string;
  readonly value: number;
  readonly unit?: string;
}

/** What one run of a probe found. */
export type Measurement = {
  /** For the curve of the probe; types that measure no number leave it out. */
  readonly measured?: MeasuredNumber | undefined;
  /** How long the answer took, or was waited for in vain; undefined for a failure that took no time worth counting. */
  readonly latencyMs?: number | undefined;
  /** Attempts before the one that counts failed, and that one began then, in milliseconds since 1970. @default it was the first */
  readonly retriedUntilMs?: number | undefined;
  /** Of a lasting type: each of what was measured in this run. @default the run is one measurement */
  readonly series?: readonly SeriesMeasurement[];
} & (
  | {
      readonly outcome: 'passed';
      /** For the status of the probe. */
      readonly description: string;
      /** Registered for templates of later probes. */
      readonly output?: string;
    }
  | {
      /** `failure`: the condition is not met. `error`: it could not be evaluated. */
      readonly outcome: 'failure' | 'error';
      readonly code: ProbeErrorCode;
      readonly reason: string;
      /** The kind of the failure, in words that follow a number: `refused`, `no answer in 1 s`, `status 503`. */
      readonly failure?: string | undefined;
      /** Nothing was measured, as the machine of the probe gave it no processor: it says nothing of the application. */
      readonly isTooBusy?: true | undefined;
    }
);

/** Whether a run measured nothing, as this machine gave it no processor. Pure. */
export function isTooBusy(measurement: Measurement): boolean {
  return measurement.outcome !== 'passed' && measurement.isTooBusy === true;
}

/**
 * Longer texts are cut: they are stored in objects of limited size and read by people, while a command may write a lot. The
 * output that templates use is never cut.
 */
const TEXT_LIMIT = 2048;

/** The same measurement with its text cut to {@link TEXT_LIMIT}. Pure. */
export function withShortText(measurement: Measurement): Measurement {
  return measurement.outcome === 'passed'
    ? { ...measurement, description: shorten(measurement.description) }
    : { ...measurement, reason: shorten(measurement.reason) };
}

function shorten(text: string): string {
  if (text.length <= TEXT_LIMIT) return text;
  return `${text.slice(0, TEXT_LIMIT)}… (${text.length} characters)`;
}

/** A probe that did not pass. */
export interface ProbeFinding {
  /** Name of the probe. */
  readonly probe: string;
  readonly kind: 'failure' | 'error';
  readonly code: ProbeErrorCode;
  readonly reason: string;
  readonly stopOnFailure: boolean;
}

/** How the probes of a phase did. */
export type PhaseOutcome =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** `error` ends the run with verdict Error; `failure` lets it go on unless `stop`. */
      readonly kind: 'failure' | 'error';
      /** Code of the finding that decides. */
      readonly code: ProbeErrorCode;
      /** All findings, for people. */
      readonly message: string;
      /** A probe with stopOnFailure failed: the run ends with verdict Stopped. */
      readonly stop: boolean;
      /** Each one, for `errorOutput`; upstream's target of an error is `{name: <probe>}`. */
      readonly findings: readonly ProbeFinding[];
    };

/** What a probe that did not pass leaves behind; undefined for one that passed. Pure. */
export function findingOf(
  probe: { readonly name: string; readonly stopOnFailure: boolean },
  measurement: Measurement,
): ProbeFinding | undefined {
  if (measurement.outcome === 'passed') return undefined;
  const { outcome: kind, code, reason } = measurement;
  return { probe: probe.name, kind, code, reason, stopOnFailure: probe.stopOnFailure };
}

/** Whether no further probe of the phase may run. Pure. */
export function endsPhase(finding: ProbeFinding): boolean {
  return finding.kind === 'error' || finding.stopOnFailure;
}

/** Sums up a phase: an error outweighs a failure, a failure that stops one that does not. Pure. */
export function phaseOutcome(findings: readonly ProbeFinding[]): PhaseOutcome {
  const stopping = findings.find(({ kind, stopOnFailure }) => kind === 'failure' && stopOnFailure);
  const decisive = findings.find(({ kind }) => kind === 'error') ?? stopping ?? findings[0];
  if (decisive === undefined) return { ok: true };
  return {
    ok: false,
    kind: decisive.kind,
    code: decisive.code,
    message: findings.map(({ probe, reason }) => `probe '${probe}': ${reason}`).join('; '),
    stop: stopping !== undefined,
    findings,
  };
}

/** A measured text as the number for the curve of its probe; undefined when it is none, or cannot be drawn. Pure. */
export function measuredValue(text: string): MeasuredNumber | undefined {
  const value = parseDecimal(text);
  return value === undefined || !Number.isFinite(value) ? undefined : { what: 'value', value };
}

/** The outcome of the comparison of a probe's value. */
export function ofComparison(
  type: ProbeType,
  comparison: Comparison,
  { description, actual }: { readonly description: string; readonly actual: string },
): Measurement {
  const number = measuredValue(actual);
  const measured = number === undefined ? {} : { measured: number };
  if (comparison.outcome === 'match') return { outcome: 'passed', description, ...measured };
  const { outcome, reason } = comparison;
  if (outcome === 'error')
    return { outcome, code: errorCode(type), reason, failure: 'no number', ...measured };
  return { outcome: 'failure', code: failureCode(type), reason, failure: 'other value', ...measured };
}

/** What a measurement says for people. */
export function textOf(measurement: Measurement): string {
  return measurement.outcome === 'passed' ? measurement.description : measurement.reason;
}

/** The text of a measurement, with what all of them came to. */
export function withWords(measurement: Measurement, words: string): Measurement {
  if (words === '') return measurement;
  return measurement.outcome === 'passed'
    ? { ...measurement, description: `${measurement.description}; ${words}` }
    : { ...measurement, reason: `${measurement.reason}; ${words}` };
}

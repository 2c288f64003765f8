import type { Clock } from '@turnsole/kube/base/clock';
import type { Probe } from '../../../api/schema/probe.ts';
import type { Measurement } from '../outcome.ts';
import type { ProbeKind } from '../probe-kind.ts';

/** One measurement of a script: how long it takes and how it ends. */
export interface Step {
  readonly takesMs?: number;
  readonly outcome: 'passed' | 'failure' | 'error' | 'throws' | 'hangs';
}

/** Measurements of one probe in order; the last one repeats. */
export type Script = readonly Step[];

/** A type of probes that plays scripts by probe name and records when it was asked. */
export interface ScriptedKind extends ProbeKind {
  /** Times (ms) at which measurements of a probe began. */
  readonly began: ReadonlyMap<string, readonly number[]>;
  /** Names of the probes whose measurement was interrupted. */
  readonly interrupted: readonly string[];
}

/** Gives a kind for `scripts`; a probe without a script passes at once. */
export function scriptedKind(
  clock: Clock,
  scripts: Readonly<Record<string, Script>>,
  options: { readonly changesState?: boolean } = {},
): ScriptedKind {
  const began = new Map<string, number[]>();
  const interrupted: string[] = [];
  const start = clock.now();
  return {
    began,
    interrupted,
    subject: ({ name }) => `script of ${name}`,
    changesState: () => options.changesState ?? false,
    async measure({ name }: Probe, { signal }) {
      const times = began.get(name) ?? [];
      began.set(name, [...times, clock.now() - start]);
      const script = scripts[name] ?? [{ outcome: 'passed' }];
      const step = script[Math.min(times.length, script.length - 1)] ?? { outcome: 'passed' };
      try {
        if (step.outcome === 'hangs') await new Promise((_, reject) => rejectOnAbort(signal, reject));
        if (step.takesMs !== undefined) await clock.sleep(step.takesMs, signal);
      } catch (error) {
        interrupted.push(name);
        throw error;
      }
      return measurementOf(step, times.length + 1);
    },
  };
}

function rejectOnAbort(signal: AbortSignal, reject: (reason: unknown) => void): void {
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
}

function measurementOf({ outcome }: Step, run: number): Measurement {
  switch (outcome) {
    case 'failure':
      return { outcome, code: 'CMD_PROBE_FAILURE', reason: `failed in run ${run}` };
    case 'error':
      return { outcome, code: 'CMD_PROBE_ERROR', reason: `broke in run ${run}` };
    case 'throws':
      throw new Error(`threw in run ${run}`);
    default:
      return { outcome: 'passed', description: `passed in run ${run}`, output: `output ${run}` };
  }
}

import { setMaxListeners } from 'node:events';
import type { KubeClient } from '../../kube/client/types.ts';
import type { Clock, Random } from '../../kube/runtime/clock.ts';
import type { Logger } from '../../kube/runtime/log.ts';
import { describeError } from '../errors.ts';
import { EventWriter } from '../events/event-writer.ts';
import type { Fault } from '../fault.ts';
import { LedgerBook } from '../ledger/ledger-book.ts';
import { resultName } from '../result/result-patches.ts';
import { ResultWriter } from '../result/result-writer.ts';
import { TimelineLog } from '../result/timeline-log.ts';
import { compileSettings } from '../settings/compile-settings.ts';
import type { Environment } from '../settings/parse-tunables.ts';
import type { Run } from './run.ts';

/** What the process gives to a run. */
export interface RunInput {
  readonly fault: Fault;
  readonly env: Environment;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted on SIGTERM and SIGINT: the run stops, reverts and ends. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/** A run before anything of it is known but its settings. */
export function createRun(input: RunInput): Run {
  const { fault, env, client, clock, random, signal, logger } = input;
  const { settings, problems } = compileSettings(fault, env, random);
  const { namespace, runId, experiment, podName } = settings;
  const own = new AbortController();
  const stop = AbortSignal.any([signal, own.signal]);
  // Every request and wait under way listens; the default warns at ten.
  setMaxListeners(0, stop);
  stop.addEventListener('abort', () =>
    timeline.note({ step: 'Aborted', message: `aborted: ${describeError(stop.reason)}` }),
  );
  const timeline = new TimelineLog({ clock, actor: `experiment/${experiment}`, runId });
  const writer = new ResultWriter({
    client,
    clock,
    namespace,
    name: resultName(settings),
    extras: () => {
      const entries = timeline.take();
      return entries === undefined ? undefined : { status: { timeline: entries } };
    },
  });
  return {
    fault,
    settings,
    problems,
    env,
    client,
    clock,
    random,
    logger,
    stop,
    abort: (reason) => own.abort(reason),
    writer,
    timeline,
    ledger: new LedgerBook({
      fault,
      sink: writer,
      clock,
      holdMs: fault.shape === 'sustained' ? settings.durationMs : 0,
    }),
    events: new EventWriter({ client, clock, logger, namespace, source: podName }),
    engine: undefined,
    engineExperiment: undefined,
    pod: undefined,
    probes: undefined,
    phase: 'PreChaos',
    hasChaosStarted: false,
    isClosing: false,
  };
}

import { setMaxListeners } from 'node:events';
import { resultNameOf } from '../../../chaos/result-name.ts';
import { describeError } from '../../injection/errors.ts';
import { EventWriter } from '../../injection/events/event-writer.ts';
import { LedgerBook } from '../../injection/ledger/ledger-book.ts';
import type { FaultProcess } from '../../injection/main/fault-process.ts';
import { ResultWriter } from '../../injection/result/result-writer.ts';
import { TimelineLog } from '../../injection/result/timeline-log.ts';
import { compileSettings } from '../../injection/settings/compile-settings.ts';
import { ForceLog } from '../chaos/force-log.ts';
import { PodSightings } from '../chaos/pod-sightings.ts';
import { WorkloadSightings } from '../chaos/workload-sightings.ts';
import { PressureLog } from './pressure-log.ts';
import type { Run } from './run.ts';
import { RunNews } from './run-news.ts';
import { UnsteadyBell } from './unsteady-bell.ts';

/** A run before anything of it is known but its settings. */
export function createRun(input: FaultProcess): Run {
  const { fault, env, client, clock, random, signal, logger, pressure } = input;
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
    name: resultNameOf(settings),
    extras: () => {
      const entries = timeline.take();
      const ready = workloads.take(force.window);
      if (entries === undefined && ready === undefined) return undefined;
      return {
        status: {
          ...(entries !== undefined && { timeline: entries }),
          ...(ready !== undefined && { workloads: ready }),
        },
      };
    },
  });
  const news = new RunNews({ clock, timeline, writer, hasMore: () => workloads.hasNews });
  const force = new ForceLog(clock);
  const workloads = new WorkloadSightings({
    client,
    clock,
    // Sightings after the verdict are not stored.
    signal: news.closed,
    onChange: () => news.storeSoon(),
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
    news,
    pods: new PodSightings({
      client,
      clock,
      // Sightings after the verdict are not stored.
      signal: news.closed,
      note: (step, object, message) => {
        timeline.note({ step, object, message });
        news.storeSoon();
      },
    }),
    workloads,
    force,
    pressures: new PressureLog(`experiment/${experiment}`, pressure),
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
    healthBefore: undefined,
    unsteady: new UnsteadyBell(),
    objections: [],
    phase: 'PreChaos',
  };
}

import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import {
  CHAOS_ENGINES,
  type ChaosEngine,
  type ChaosResult,
  EXPERIMENT_STARTED,
  LABEL_RUN_ID,
  type ProbeStatus,
} from '../../../api/index.ts';
import type { RecoveryTemplate } from '../../../api/recovery-template.ts';
import { recoveryTemplate } from '../../../chaos/recovery/template.ts';
import { restoreEngine } from '../../../chaos/run-record.ts';
import {
  AbortedError,
  ChaosError,
  describeError,
  RepeatedRunError,
  SettingsError,
} from '../../injection/errors.ts';
import { awaitedEvent } from '../../injection/events/messages.ts';
import { isApiPulse } from '../../injection/fault.ts';
import { startPatch } from '../../injection/result/result-patches.ts';
import { settingsError } from '../../injection/settings/compile-settings.ts';
import { tightenSettings } from '../../injection/settings/tighten.ts';
import { ownContainer } from '../helper/own-container.ts';
import { loadProbes } from './load-probes.ts';
import { emitOnResult, isDryRun, type Run } from './run.ts';

/**
 * Steps 1 to 4: reads engine, own pod and earlier result at once, takes the probes, and stores the result as Running. Whatever
 * is wrong with engine or settings is thrown only after that, so that every run leaves a ChaosResult that says why.
 *
 * @returns the result as an earlier run left it
 * @throws RepeatedRunError when this run has been opened before; nothing was touched then
 */
export async function openRun(run: Run): Promise<ChaosResult | undefined> {
  const [existing, engine] = await Promise.all([run.writer.read(run.stop), readSurroundings(run)]);
  if (existing?.metadata.labels?.[LABEL_RUN_ID] === run.settings.runId)
    throw new RepeatedRunError(run.settings);
  run.timeline.adopt(existing?.status?.timeline);
  run.timeline.note({
    step: EXPERIMENT_STARTED,
    object: `chaosresult/${run.settings.namespace}/${run.writer.name}`,
    message: `${run.settings.experiment} started as ${isDryRun(run) ? 'dry run' : 'run'} ${run.settings.runId}`,
  });
  const patch = startPatch({
    settings: run.settings,
    existing,
    podLabels: run.pod?.metadata.labels ?? {},
    probeStatuses: awaited(run),
    recovery: templateOf(run),
    dryRun: isDryRun(run),
    comesInRounds: run.fault.shape === 'pulse',
  });
  // The code of the probes is loaded while the result is stored.
  const [probes] = await Promise.all([makeProbes(run), run.writer.write(patch)]);
  emitOnResult(run, awaitedEvent(run.settings.experiment));
  if (run.problems.length > 0) throw settingsError(run.settings.experiment, run.problems);
  const problem = engine ?? probes;
  if (problem !== undefined) throw problem;
  return existing;
}

/** Reads the engine and the own pod at once. Gives what kept the engine from being read. */
export async function readSurroundings(run: Run): Promise<ChaosError | undefined> {
  const [engine] = await Promise.all([readEngine(run), readPod(run)]);
  return engine;
}

/** Gives what kept the engine from being read; an experiment without its engine has no probes to judge by. */
async function readEngine(run: Run): Promise<ChaosError | undefined> {
  const { engine: name, namespace, experiment } = run.settings;
  if (name === undefined) return undefined;
  try {
    const stored = await run.client.get<ChaosEngine>(CHAOS_ENGINES, name, { namespace, signal: run.stop });
    run.engine = restoreEngine(stored);
    run.settings = tightenSettings(run.settings, run.engine);
  } catch (cause) {
    if (run.stop.aborted) throw new AbortedError('aborted before anything was injected', { cause });
    return new ChaosError('GENERIC_ERROR', `cannot read ChaosEngine ${namespace}/${name}`, { cause });
  }
  run.engineExperiment = run.engine.spec.experiments.find((entry) => entry.name === experiment);
  return undefined;
}

/** Labels of the own pod are copied to result and helpers; without them the run goes on. */
async function readPod(run: Run): Promise<void> {
  const { podName, namespace } = run.settings;
  if (podName === '') return;
  try {
    run.pod = await run.client.find<Pod>(PODS, podName, { namespace, signal: run.stop });
  } catch (error) {
    run.logger.error({ pod: podName, error: describeError(error) }, 'cannot read the pod of this experiment');
  }
}

async function makeProbes(run: Run): Promise<ChaosError | undefined> {
  if ((run.engineExperiment?.spec?.probe ?? []).length === 0) return undefined;
  try {
    run.probes = await loadProbes(run);
    return undefined;
  } catch (cause) {
    if (cause instanceof ChaosError) return cause;
    return new SettingsError('the probes of this experiment cannot be used', { cause });
  }
}

/** The template of a recovery; only faults that leave something in force need one. */
function templateOf({ fault, pod, settings }: Run): RecoveryTemplate | undefined {
  const leaves = fault.shape === 'sustained' || (isApiPulse(fault) && fault.witness !== undefined);
  if (!leaves || pod === undefined) return undefined;
  const taints = fault.taints?.(settings.tunables);
  return recoveryTemplate(
    settings.experiment,
    pod,
    ownContainer(pod, settings),
    taints,
    fault.recoverySeconds,
  );
}

/** The probes as they stand at the start, also those whose definition cannot be used. */
function awaited(run: Run): ProbeStatus[] {
  return (run.engineExperiment?.spec?.probe ?? []).map(({ name, type, mode }) => ({
    name,
    type,
    mode,
    status: { verdict: 'Awaited' },
  }));
}

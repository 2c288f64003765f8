import { type Deployment, objectKey } from '@turnsole/kube/kinds/core';
import type { ChaosEngine, ChaosResult } from '../../api/index.ts';
import { isOpen } from '../../api/ledger.ts';
import { LABEL_INSTALLATION } from './names.ts';

/** An installation as it stands in a cluster. */
export interface Installation {
  readonly namespace: string;
  /** The only namespace its operator works in; undefined means all. */
  readonly watchNamespace: string | undefined;
  /** Whether its operator has a ready pod, which stops and reverts what runs. */
  readonly operatorIsReady: boolean;
}

/** Reads an installation from its operator's Deployment; undefined when that is none. Pure. */
export function installationOf({ metadata, spec, status }: Deployment): Installation | undefined {
  const namespace = metadata.labels?.[LABEL_INSTALLATION];
  if (namespace === undefined || metadata.labels?.['app.kubernetes.io/component'] !== 'operator')
    return undefined;
  const env = spec?.template.spec?.containers.flatMap((container) => container.env ?? []) ?? [];
  const watched = env.find(({ name }) => name === 'WATCH_NAMESPACE')?.value ?? '';
  return {
    namespace,
    watchNamespace: watched === '' ? undefined : watched,
    operatorIsReady: (status?.readyReplicas ?? 0) > 0,
  };
}

/**
 * Whether this engine's chaos is still to be stopped and reverted by its operator. A completed engine keeps its finalizer until
 * it is deleted, and has nothing in force. Pure.
 */
export function isRunning({ spec, status }: ChaosEngine): boolean {
  const engineStatus = status?.engineStatus ?? '';
  return engineStatus === 'initialized' || (engineStatus === '' && spec.engineState !== 'stop');
}

/** `namespace/result: fault on target` for each ledger entry that is not reverted. Pure. */
export function openEntries(results: readonly ChaosResult[]): string[] {
  return results.flatMap((result) =>
    Object.entries(result.status?.ledger ?? {})
      .filter(([, entry]) => isOpen(entry) && entry.instant !== true)
      .map(([, { fault, target }]) => `${objectKey(result)}: ${fault} on ${nameOf(target)}`),
  );
}

function nameOf({ namespace, name }: { readonly namespace?: string; readonly name: string }): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** The losses that a user has to agree to. */
interface Losses {
  readonly engines: number;
  readonly running: number;
  readonly schedules: number;
  readonly results: number;
  /** EventTrackerPolicies. */
  readonly policies: number;
  /** Objects of the kinds whose definitions install has made. */
  readonly workflows: number;
}

/** The question that `--yes` answers; undefined when nothing of the user's would go. Pure. */
export function lossesText(
  { engines, running, schedules, results, policies, workflows }: Losses,
  keepCrds: boolean,
): string | undefined {
  const gone = keepCrds
    ? [count(running, 'running ChaosEngine')]
    : [
        count(engines, 'ChaosEngine'),
        count(schedules, 'ChaosSchedule'),
        count(results, 'ChaosResult'),
        count(policies, 'EventTrackerPolicy', 'EventTrackerPolicies'),
        count(workflows, 'Workflow'),
      ];
  const named = gone.filter((text) => text !== undefined);
  if (named.length === 0) return undefined;
  const verb = keepCrds ? 'would be stopped' : 'would be deleted';
  const also = !keepCrds && running > 0 ? `, ${running} of them running` : '';
  return `${named.join(', ')} ${verb}${also}; say --yes if that is meant${keepCrds ? '' : ', or --keep-crds to keep them'}`;
}

function count(number: number, noun: string, plural = `${noun}s`): string | undefined {
  return number === 0 ? undefined : `${number} ${number === 1 ? noun : plural}`;
}

import { objectKey, type Pod } from '@turnsole/kube/kinds/core';
import { matchesLabels, parseLabelSelector } from '@turnsole/kube/text/label-selector';
import {
  type ChaosConflict,
  type ChaosEngine,
  type ChaosResult,
  type InjectionTarget,
  isOpen,
} from '../../api/index.ts';
import { targetsOfEngine } from '../../chaos/engine-targets.ts';
import { restoreEngine, wantsDryRun } from '../../chaos/run-record.ts';
import { objectOf } from '../injection/ledger/ledger-steps.ts';
import { ANY_KIND, parseTargets, type TargetEntry } from '../injection/settings/parse-targets.ts';

/** Chaos of others, as it is now. */
export interface OtherChaos {
  readonly engines: readonly ChaosEngine[];
  readonly results: readonly ChaosResult[];
}

/** The engine of a plan, and what it would hit. */
interface PlannedHit {
  readonly engine: { readonly namespace: string; readonly name: string };
  readonly targets: readonly InjectionTarget[];
  /** The pods among the targets, for their labels. */
  readonly pods: readonly Pod[];
}

/**
 * Chaos that is in force on the same targets by the ledgers, and runs under way whose selectors cover them. A target that another run
 * has in force is not listed a second time as selected. Pure.
 */
export function findConflicts(planned: PlannedHit, others: OtherChaos): ChaosConflict[] {
  const own = `${planned.engine.namespace}/${planned.engine.name}`;
  const inForce = others.results.flatMap((result) => openOn(planned.targets, result, own));
  const reported = new Set(inForce.map(({ engine, object }) => `${engine} ${object}`));
  const selected = others.engines
    .filter((engine) => objectKey(engine) !== own && isUnderWay(engine))
    .flatMap((engine) => selectedBy(engine, planned))
    .filter(({ engine, object }) => !reported.has(`${engine} ${object}`));
  return [...inForce, ...selected];
}

function openOn(targets: readonly InjectionTarget[], result: ChaosResult, own: string): ChaosConflict[] {
  const { metadata, spec, status } = result;
  const engine = `${metadata.namespace ?? ''}/${spec?.engine ?? metadata.name}`;
  if (engine === own) return [];
  const open = Object.values(status?.ledger ?? {}).filter(isOpen);
  return targets.flatMap((target) =>
    open
      .filter((entry) => isSameTarget(entry.target, target))
      .map(({ fault }): ChaosConflict => {
        const { experiment } = spec ?? {};
        const object = objectOf(target);
        return { engine, experiment, fault, object, kind: 'in-force' };
      }),
  );
}

/** The same object, or a node and something that runs on it. A pod that was made anew is another one. */
function isSameTarget(a: InjectionTarget, b: InjectionTarget): boolean {
  if ((a.kind === 'node') !== (b.kind === 'node')) return a.node !== undefined && a.node === b.node;
  const isSameName = a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
  return isSameName && (a.uid === undefined || b.uid === undefined || a.uid === b.uid);
}

function isUnderWay(stored: ChaosEngine): boolean {
  const engine = restoreEngine(stored);
  const { metadata, spec, status } = engine;
  if (metadata.deletionTimestamp !== undefined || wantsDryRun(engine)) return false;
  return status?.engineStatus === 'initialized' && spec.engineState !== 'stop';
}

function selectedBy(engine: ChaosEngine, { targets, pods }: PlannedHit): ChaosConflict[] {
  const { entries } = parseTargets(targetsOfEngine(engine));
  const podOf = new Map(pods.map((pod) => [objectKey(pod), pod]));
  return targets
    .filter((target) => {
      const pod = podOf.get(`${target.namespace ?? ''}/${target.name}`);
      return target.kind === 'pod' && entries.some((entry) => selects(entry, target, pod));
    })
    .map((target) => ({ engine: objectKey(engine), object: objectOf(target), kind: 'selected' }));
}

function selects(
  entry: TargetEntry,
  { namespace, name, owner }: InjectionTarget,
  pod: Pod | undefined,
): boolean {
  if (entry.namespace !== namespace) return false;
  if (entry.kind === 'pod') return entry.names.includes(name);
  if (entry.kind !== ANY_KIND && owner?.kind !== entry.kind) return false;
  if (entry.selector !== undefined) return matchesText(entry.selector, pod);
  return entry.names.length === 0 || (owner !== undefined && entry.names.includes(owner.name));
}

function matchesText(selector: string, pod: Pod | undefined): boolean {
  if (pod === undefined) return false;
  try {
    return matchesLabels(parseLabelSelector(selector), pod.metadata.labels);
  } catch {
    // A run with a selector that cannot be read hits nothing.
    return false;
  }
}

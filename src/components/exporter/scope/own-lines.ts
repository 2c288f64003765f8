import { headOf, labelText } from './exposition.ts';
import type { LeverFigures } from './halt-time.ts';
import type { SlimResult } from './slim-objects.ts';

/** The figures that we show beside upstream's series and the counters. */
interface OwnFigures {
  readonly version: string;
  /** Whether the copies of each kind are current, by its plural. */
  readonly following: readonly (readonly [resource: string, isCurrent: boolean])[];
  readonly levers: readonly LeverFigures[];
  /** Results that something is still in force of although their run is over. */
  readonly withResidue: readonly SlimResult[];
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/** The lines of our own gauges. Pure. */
export function ownLines({ version, following, levers, withResidue }: OwnFigures): string {
  const node = process.versions.node;
  return [
    family('turnsole_build_info', 'Version of this exporter.', [[{ version, node }, 1]]),
    family(
      'turnsole_exporter_following',
      'Whether the copy of a kind is current; 0: the API server cannot be reached or refuses.',
      following.map(([resource, isCurrent]) => [{ resource }, isCurrent ? 1 : 0]),
    ),
    family(
      'turnsole_residue_open',
      'Injections that are in force although their run is over.',
      withResidue.map((result) => [
        {
          chaosresult_namespace: result.metadata.namespace ?? '',
          chaosresult_name: result.metadata.name,
          fault_name: result.experiment,
        },
        result.residue.length,
      ]),
    ),
    family(
      'turnsole_halted_since_timestamp_seconds',
      'Since when the safety lever is pulled; no sample: it is not.',
      levers.flatMap((lever) => (lever.since === undefined ? [] : [[labelsOf(lever), lever.since] as const])),
    ),
    family(
      'turnsole_halted_seconds_total',
      'For how long the safety lever was pulled while the exporter looked on.',
      levers.map((lever) => [labelsOf(lever), lever.seconds]),
      'counter',
    ),
  ].join('');
}

/** The lever of the cluster has no namespace of its own: it lies in one, and applies in all. */
function labelsOf({ scope, namespace }: LeverFigures): Record<string, string> {
  return { scope, halted_namespace: scope === 'cluster' ? '' : namespace };
}

function family(
  name: string,
  help: string,
  samples: readonly Sample[],
  type: 'gauge' | 'counter' = 'gauge',
): string {
  if (samples.length === 0) return '';
  const lines = samples.map(([labels, value]) => `${name}{${labelText(labels)}} ${value}\n`);
  return headOf(name, help, type) + lines.join('');
}

import type { PolicyRule } from '@turnsole/kube/kinds/core';
import type { Fault } from '../../experiment/injection/fault.ts';
import type { TunableSchema } from '../../experiment/injection/tunables.ts';
import faults from './generated/catalogue.json' with { type: 'json' };

/** What is known of a fault without loading it, so that builders can check what they get at once. */
export interface CatalogueEntry {
  readonly summary: string;
  readonly targets: Fault['targets'];
  /** The settings that code can give, by the names of their variables. */
  readonly settings: TunableSchema;
  /** Whether its account needs permissions that only the whole cluster has. */
  readonly scope: 'Namespaced' | 'Cluster';
  /** All variables with their defaults, as its ChaosExperiment has them. */
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  /** What its account may do in the namespaces of engine and targets, and in the whole cluster. */
  readonly rules: { readonly local: readonly PolicyRule[]; readonly cluster: readonly PolicyRule[] };
}

const CATALOGUE = faults as unknown as Readonly<Record<string, CatalogueEntry>>;

/** @throws Error for a name that no fault has */
export function catalogueEntry(fault: string): CatalogueEntry {
  const entry = Object.hasOwn(CATALOGUE, fault) ? CATALOGUE[fault] : undefined;
  if (entry === undefined) throw new Error(`there is no fault ${fault}; run "npm run generate"`);
  return entry;
}

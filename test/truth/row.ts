/** A row of the truth suite: an application, a fault, the checks, and what is true about it. All of it is data. */

import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { ChaosEngine, Probe } from '../../src/api/index.ts';
import type { Application } from './application.ts';
import type { Deed } from './deeds.ts';
import type { NumberName } from './numbers.ts';

/** Of which kind a fault is, as the table counts them. */
export const FAMILIES = [
  'pod',
  'http',
  'network',
  'dns',
  'stress',
  'disk',
  'node',
  'load',
  'verdict',
] as const;
export type Family = (typeof FAMILIES)[number];

/** What of a machine a row cannot do without. */
export type Need = 'netem' | 'nft' | 'fio' | 'root';

/** A number of the result, and what it has to be. */
export interface TrueNumber {
  /** What is compared, for the table; see numbers.ts. */
  readonly what: NumberName;
  /** The name of the probe, or of the workload, that the number is of. */
  readonly of: string;
  /** What it has to be: limits, or what the outside observer saw, within {@link TOLERANCE}. */
  readonly is: 'as observed' | { readonly from?: number; readonly to?: number };
}

/** How far a number of a result may be from what the observer saw. */
export const TOLERANCE = 0.05;

/** What is true about a row. */
export interface Truth {
  readonly verdict: 'Pass' | 'Fail' | 'Error';
  /** Code of the error in the result, where the verdict has to have one. */
  readonly code?: string;
  /** Part of what the run gives as its reason: the error, or the descriptions of the probes that failed. */
  readonly reason?: RegExp;
  /**
   * The share of the processor time or memory asked for, 0 to 1, that a load has to have got, as the timeline has it: where other work left it less, the
   * verdict says nothing about the application.
   */
  readonly atLeast?: number;
  /** Requests that a load has to have made, as the timeline has it, for the same reason. */
  readonly requests?: number;
  /** Parts of lines of the timeline, `step message`. */
  readonly told?: readonly RegExp[];
  readonly numbers?: readonly TrueNumber[];
  /** Why this is the truth, for people. */
  readonly because: string;
}

/** The observer of a row: which application it asks, and how often. */
export interface Observation {
  readonly application: string;
  /** @default 10 */
  readonly everyMs?: number;
  /** After which an answer counts as none. @default 1000 */
  readonly limitMs?: number;
}

/** One run with one truth. */
export interface Row {
  /** Unique; the twins of a pair share all but its last word. */
  readonly name: string;
  readonly family: Family;
  readonly fault: string;
  /** How it is checked, such as `http OnChaos`; `none` without checks. */
  readonly check: string;
  /** Of pairs: which of the two it is, and the property that decides. */
  readonly twin?: { readonly is: 'resilient' | 'fragile'; readonly property: string };
  readonly applications: readonly Application[];
  /** Further objects, created in the namespace of the row before the engine. */
  readonly objects?: readonly KubeObject[];
  /** Application whose deployment is hit; none for faults on nodes. */
  readonly target?: string;
  /** Settings of the fault. */
  readonly env: Readonly<Record<string, string>>;
  readonly probes: readonly Probe[];
  /** Further fields of the engine. */
  readonly engine?: Partial<ChaosEngine['spec']>;
  /** A workflow that `turnsole run` runs in place of an engine; its fault counts for the table only. */
  readonly workflow?: Readonly<Record<string, unknown>>;
  /** Requests that the suite makes to an application before the engine: orders that must not be lost. */
  readonly orders?: { readonly application: string; readonly count: number };
  /** What happens while the fault is in force. */
  readonly during?: Deed;
  readonly observed?: Observation;
  /** Nodes of its own; in texts of env and applications `{node-1}` is the name of the first. @default 0 */
  readonly nodes?: number;
  readonly needs?: readonly Need[];
  readonly truth: Truth;
}

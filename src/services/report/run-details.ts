import type { ChaosResult } from '../../api/index.ts';
import { describeTarget } from '../../chaos/no-effect.ts';
import { injectionsOf, type RunRecord } from './run-record.ts';

/** Facts about one experiment of a run, beside its times. */
export interface ExperimentDetails {
  readonly engine: string;
  readonly namespace: string;
  readonly experiment: string;
  readonly verdict: string;
  /** What the engine sets; the others have the defaults of the experiment. Null where the engine is gone, or its spec is unknown. */
  readonly settings: readonly { readonly name: string; readonly value: string }[] | null;
  readonly probes: readonly {
    readonly name: string;
    readonly type: string;
    readonly mode: string;
    readonly verdict: string;
    readonly description: string;
  }[];
  /** In order of injection. */
  readonly ledger: readonly LedgerLine[];
}

/** An entry of the ledger. Times are RFC 3339; null where there is none, or it is unknown. */
interface LedgerLine {
  readonly id: string;
  readonly fault: string;
  /** `pod shop/web-1 (app)`, as in the names of lanes. */
  readonly target: string;
  readonly state: string;
  readonly injectedAt: string | null;
  readonly revertedAt: string | null;
  readonly leaseExpiresAt: string | null;
  readonly message: string;
}

/** The details of a run's experiments. Pure. */
export function runDetails(records: readonly RunRecord[]): ExperimentDetails[] {
  return records.flatMap((record) => {
    const declared = (record.engine?.spec?.experiments ?? []).map(({ name }) => name);
    const found = record.results.map(({ spec, metadata }) => spec?.experiment ?? metadata.name);
    return [...new Set([...declared, ...found])].map((experiment) => detailsOf(record, experiment));
  });
}

function detailsOf(
  { engine, results, name, namespace, runId }: RunRecord,
  experiment: string,
): ExperimentDetails {
  const result = results.find(({ spec, metadata }) => (spec?.experiment ?? metadata.name) === experiment);
  const own = engine?.spec?.experiments?.find((one) => one.name === experiment);
  const status = engine?.status?.experiments?.find((one) => one.name === experiment);
  return {
    ...{ engine: name, namespace, experiment },
    verdict: status?.verdict ?? result?.status?.experimentStatus?.verdict ?? 'Awaited',
    settings: own === undefined ? null : settingsOf(own.spec?.components?.env),
    probes: (result?.status?.probeStatuses ?? []).map((probe) => ({
      ...{ name: probe.name, type: probe.type, mode: probe.mode },
      ...{ verdict: probe.status.verdict, description: probe.status.description ?? '' },
    })),
    ledger: ledgerOf(result, runId),
  };
}

function settingsOf(env: unknown): NonNullable<ExperimentDetails['settings']> {
  const list: readonly unknown[] = Array.isArray(env) ? env : [];
  return list.flatMap((entry) => {
    const { name, value, valueFrom } = entry as { name?: unknown; value?: unknown; valueFrom?: unknown };
    if (typeof name !== 'string') return [];
    // A value from a Secret is named, and not read.
    return [
      { name, value: valueFrom === undefined ? String(value ?? '') : `from ${JSON.stringify(valueFrom)}` },
    ];
  });
}

function ledgerOf(result: ChaosResult | undefined, runId: string | undefined): LedgerLine[] {
  return injectionsOf({ results: result === undefined ? [] : [result], runId })
    .map(({ id, fault, target, state, injectedAt, revertedAt, leaseExpiresAt, message }) => ({
      ...{ id, fault, target: describeTarget(target), state, message: message ?? '' },
      injectedAt: injectedAt ?? null,
      revertedAt: revertedAt ?? null,
      leaseExpiresAt: leaseExpiresAt ?? null,
    }))
    .toSorted((a, b) => (a.injectedAt ?? '').localeCompare(b.injectedAt ?? '') || a.id.localeCompare(b.id));
}

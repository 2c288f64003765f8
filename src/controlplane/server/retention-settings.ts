import { UsageError } from '../../process/usage-error.ts';

/** How long growing tables keep their rows, in milliseconds; undefined: for ever. */
export interface Retention {
  /** Finished runs of experiments, with their execution data. */
  readonly runsMs: number | undefined;
  /** Lines of the audit log. */
  readonly auditMs: number | undefined;
}

const DAY_MS = 86_400_000;

/**
 * From `--keep-runs-days` and `--keep-audit-days`, or the variables KEEP_RUNS_DAYS and KEEP_AUDIT_DAYS. Pure.
 *
 * @throws UsageError
 */
export function retentionOf(
  options: { readonly keepRunsDays?: number; readonly keepAuditDays?: number },
  env: Readonly<Record<string, string | undefined>>,
): Retention {
  return {
    runsMs: milliseconds('KEEP_RUNS_DAYS', options.keepRunsDays, env),
    auditMs: milliseconds('KEEP_AUDIT_DAYS', options.keepAuditDays, env),
  };
}

function milliseconds(
  variable: string,
  option: number | undefined,
  env: Readonly<Record<string, string | undefined>>,
): number | undefined {
  const text = env[variable]?.trim();
  const days = option ?? (text === undefined || text === '' ? undefined : Number(text));
  if (days === undefined) return undefined;
  if (Number.isInteger(days) && days > 0) return days * DAY_MS;
  throw new UsageError(`variable ${variable}: expected a number of days, found ${JSON.stringify(text)}`);
}

/** A column of a table. */
type Column = readonly [title: string, cell: (row: Row) => unknown];

/** An object of an answer. */
export type Row = Readonly<Record<string, unknown>>;

/** The query of `turnsole remote NOUN list`, and its columns. Documented operations only, so that ChaosCenter answers as well. */
export interface View {
  /** A function where our server knows more: of the field of runs that ChaosCenter lacks. */
  readonly document: string | ((outcome: string) => string);
  /** Its variables besides the project `$p`. */
  readonly variables?: Row;
  readonly rows: (data: never) => readonly Row[] | null | undefined;
  readonly columns: readonly Column[];
}

const MOST = 1_000;
const ALL = { pagination: { page: 0, limit: MOST } };

/** Milliseconds since the epoch, as upstream gives them: as text. */
export function time(value: unknown): string {
  const milliseconds = Number(value);
  return Number.isFinite(milliseconds) && milliseconds > 0 ? new Date(milliseconds).toISOString() : '';
}

function named(value: unknown): string {
  return typeof value === 'object' && value !== null && 'name' in value ? String(value.name) : '';
}

/** The outcome of a run; where the server has none, its phase. */
function wordOf({ outcome, phase }: Row): unknown {
  return isRow(outcome) ? outcome.word : phase;
}

/** The score of a run; a dash for one without. */
function scoreOf({ outcome, resiliencyScore }: Row): unknown {
  return isRow(outcome) ? (outcome.score ?? '-') : (resiliencyScore ?? '');
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null;
}

/** By the name of the noun. */
export const VIEWS = {
  environment: {
    document: `query ($p: ID!) { listEnvironments(projectID: $p) { environments { environmentID name type infraIDs updatedAt } } }`,
    rows: (data: { listEnvironments: { environments: Row[] | null } }) => data.listEnvironments.environments,
    columns: [
      ['ID', ({ environmentID }) => environmentID],
      ['NAME', ({ name }) => name],
      ['TYPE', ({ type }) => type],
      ['INFRAS', ({ infraIDs }) => (Array.isArray(infraIDs) ? infraIDs.length : 0)],
    ],
  },
  infra: {
    document: `query ($p: ID!) { listInfras(projectID: $p) { infras {
      infraID name environmentID infraScope infraNamespace isActive isInfraConfirmed version updateStatus } } }`,
    rows: (data: { listInfras: { infras: Row[] } }) => data.listInfras.infras,
    columns: [
      ['NAME', ({ name }) => name],
      ['ENVIRONMENT', ({ environmentID }) => environmentID],
      ['SCOPE', ({ infraScope }) => infraScope],
      [
        'STATE',
        ({ isActive, isInfraConfirmed }) => (isActive ? 'connected' : isInfraConfirmed ? 'away' : 'pending'),
      ],
      ['VERSION', ({ version }) => version],
      ['ID', ({ infraID }) => infraID],
    ],
  },
  experiment: {
    document: (
      outcome: string,
    ) => `query ($p: ID!, $r: ListExperimentRequest!) { listExperiment(projectID: $p, request: $r) { experiments {
      experimentID name experimentType cronSyntax infra { name infraID }
      recentExperimentRunDetails { phase resiliencyScore ${outcome} } updatedAt } } }`,
    variables: { r: ALL },
    rows: (data: { listExperiment: { experiments: Row[] } }) => data.listExperiment.experiments,
    columns: [
      ['NAME', ({ name }) => name],
      ['TYPE', ({ experimentType }) => experimentType],
      ['INFRA', ({ infra }) => named(infra)],
      [
        'LAST RUN',
        ({ recentExperimentRunDetails: runs }) => (Array.isArray(runs) && runs[0] ? wordOf(runs[0]) : ''),
      ],
      [
        'SCORE',
        ({ recentExperimentRunDetails: runs }) => (Array.isArray(runs) && runs[0] ? scoreOf(runs[0]) : ''),
      ],
      ['ID', ({ experimentID }) => experimentID],
    ],
  },
  run: {
    document: (
      outcome: string,
    ) => `query ($p: ID!, $r: ListExperimentRunRequest!) { listExperimentRun(projectID: $p, request: $r) { experimentRuns {
      experimentRunID notifyID experimentName experimentID phase resiliencyScore faultsPassed totalFaults updatedAt infra { name }
      ${outcome} } } }`,
    variables: { r: ALL },
    rows: (data: { listExperimentRun: { experimentRuns: Row[] } }) => data.listExperimentRun.experimentRuns,
    columns: [
      ['RUN', ({ experimentRunID, notifyID }) => experimentRunID || notifyID],
      ['EXPERIMENT', ({ experimentName }) => experimentName],
      ['INFRA', ({ infra }) => named(infra)],
      ['OUTCOME', wordOf],
      ['SCORE', scoreOf],
      ['FAULTS', ({ faultsPassed, totalFaults }) => `${faultsPassed ?? 0}/${totalFaults ?? 0}`],
      ['CHANGED', ({ updatedAt }) => time(updatedAt)],
    ],
  },
  probe: {
    document: `query ($p: ID!) { listProbes(projectID: $p) { name type infrastructureType referencedBy updatedAt } }`,
    rows: (data: { listProbes: Row[] | null }) => data.listProbes,
    columns: [
      ['NAME', ({ name }) => name],
      ['TYPE', ({ type }) => type],
      ['EXECUTIONS', ({ referencedBy }) => referencedBy ?? 0],
      ['CHANGED', ({ updatedAt }) => time(updatedAt)],
    ],
  },
  hub: {
    document: `query ($p: ID!) { listChaosHub(projectID: $p) { id name repoURL repoBranch hubType isAvailable totalFaults totalExperiments isDefault } }`,
    rows: (data: { listChaosHub: Row[] | null }) => data.listChaosHub,
    columns: [
      ['NAME', ({ name }) => name],
      ['STATE', ({ isAvailable }) => (isAvailable ? 'available' : 'away')],
      ['FAULTS', ({ totalFaults }) => totalFaults],
      ['EXPERIMENTS', ({ totalExperiments }) => totalExperiments],
      ['ADDRESS', ({ repoURL }) => repoURL],
    ],
  },
  webhook: {
    document: `query ($p: ID!) { listWebhooks(projectID: $p) { webhookID name shownURL format events enabled updatedAt } }`,
    rows: (data: { listWebhooks: Row[] }) => data.listWebhooks,
    columns: [
      ['NAME', ({ name }) => name],
      ['STATE', ({ enabled }) => (enabled ? 'on' : 'off')],
      ['ADDRESS', ({ shownURL }) => shownURL],
      ['FORMAT', ({ format }) => format],
      ['EVENTS', ({ events }) => (Array.isArray(events) ? events.join(',') : '')],
      ['ID', ({ webhookID }) => webhookID],
    ],
  },
  audit: {
    document: `query ($p: ID!) { listAudit(request: { projectID: $p, limit: 100 }) { entries {
      time actorKind actorName operation objectKind objectID } } }`,
    rows: (data: { listAudit: { entries: Row[] } }) => data.listAudit.entries,
    columns: [
      ['TIME', (row) => time(row.time)],
      ['WHO', ({ actorName, actorKind }) => actorName || actorKind],
      ['OPERATION', ({ operation }) => operation],
      ['OBJECT', ({ objectKind, objectID }) => `${objectKind} ${objectID}`],
    ],
  },
} as const satisfies Readonly<Record<string, View>>;

export type ViewName = keyof typeof VIEWS;

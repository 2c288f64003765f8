import type { ExperimentRow } from '../store/tables/experiments.ts';
import type { RunRow } from '../store/tables/runs.ts';
import type { Reader, Tx } from '../store/transaction.ts';
import { countedExperiment } from './counters.ts';
import type { Fault } from './fault.ts';
import type { ReportedEvent } from './reported-event.ts';
import { faultsOfRevisions, type RevisionFaults } from './run-rows.ts';

/** Names of a run in reports of agents. */
type RunName = Pick<ReportedEvent, 'notifyID' | 'runID' | 'experimentID' | 'name'>;

/** The runs of some events of a project, with their experiments and faults, in the state after the events processed so far. */
export class KnownRuns {
  readonly #runs: Map<string, RunRow>;
  readonly #experiments: Map<string, ExperimentRow>;
  readonly #revisions: ReadonlyMap<string, RevisionFaults>;
  readonly #changedExperiments = new Set<string>();

  private constructor(
    runs: readonly RunRow[],
    experiments: readonly ExperimentRow[],
    revisions: ReadonlyMap<string, RevisionFaults>,
  ) {
    this.#runs = new Map(runs.map((row) => [row.key, row]));
    this.#experiments = new Map(experiments.map((row) => [row.id, row]));
    this.#revisions = revisions;
  }

  /** Reads the stored state. @param events of one project, at least one */
  static async read({ db }: Tx, events: readonly ReportedEvent[]): Promise<KnownRuns> {
    const project = events[0]?.project ?? '';
    const runs = await reportedRuns(db, project, events);
    const experiments = await experimentsOf(db, project, [
      ...runs.map(({ experiment_id }) => experiment_id),
      ...events.map(({ experimentID }) => experimentID),
    ]);
    const known = new KnownRuns(runs, experiments, new Map());
    // Only the first and the final report of a run need its faults.
    const needFaults = events.filter((event) => event.isCompleted || known.find(event) === undefined);
    const revisions = needFaults.map((event) => known.find(event)?.revision_id ?? known.revisionOf(event));
    return new KnownRuns(runs, experiments, await faultsOfRevisions(db, project, revisions));
  }

  /** The run of an event, by the id of its start request, by its own, or by the name of its object. Includes deleted runs. */
  find({ notifyID, runID, experimentID, name }: RunName): RunRow | undefined {
    const runs = [...this.#runs.values()];
    const byStart = notifyID === '' ? undefined : runs.find(({ notify_id }) => notify_id === notifyID);
    if (byStart !== undefined) return byStart;
    const byID = runs.find(({ run_id }) => run_id === runID);
    if (byID !== undefined || notifyID !== '') return byID;
    // Agents report an engine without a workflow by its name.
    return runs.find((run) => run.experiment_id === experimentID && run.name === name && run.run_id === null);
  }

  /** Includes deleted ones. */
  experiment(id: string): ExperimentRow | undefined {
    return this.#experiments.get(id);
  }

  /** Whether the revision that an event names is one of its experiment. Known of the events that begin a run. */
  isOwnRevision({ revisionID, experimentID }: Pick<ReportedEvent, 'revisionID' | 'experimentID'>): boolean {
    return revisionID === '' || this.#revisions.get(revisionID)?.experimentID === experimentID;
  }

  /** The revision of a run that an event begins; empty if the experiment does not exist. */
  revisionOf({ revisionID, experimentID }: Pick<ReportedEvent, 'revisionID' | 'experimentID'>): string {
    return revisionID || (this.experiment(experimentID)?.revision_id ?? '');
  }

  /** The faults of a revision; none if the project has no such revision. */
  faultsOf(revision: string): readonly Fault[] {
    return this.#revisions.get(revision)?.faults ?? [];
  }

  /** Keeps the new state of a run, and its effect on the experiment. */
  put(before: RunRow | undefined, after: RunRow, now: number): void {
    this.#runs.set(after.key, after);
    const experiment = this.#experiments.get(after.experiment_id);
    if (experiment === undefined) return;
    const counted = countedExperiment(experiment, before, after, now);
    if (counted === experiment) return;
    this.#experiments.set(counted.id, counted);
    this.#changedExperiments.add(counted.id);
  }

  /** Experiments whose counters have changed. */
  changedExperiments(): ExperimentRow[] {
    return [...this.#experiments.values()].filter(({ id }) => this.#changedExperiments.has(id));
  }
}

async function reportedRuns(db: Reader, project: string, events: readonly RunName[]): Promise<RunRow[]> {
  const ofProject = db.selectFrom('runs').selectAll().where('project_id', '=', project);
  const starts = distinct(events.map(({ notifyID }) => notifyID));
  const ids = distinct(events.map(({ runID }) => runID));
  const [byStart, byID] = await Promise.all([
    starts.length === 0 ? [] : ofProject.where('notify_id', 'in', starts).execute(),
    ids.length === 0 ? [] : ofProject.where('run_id', 'in', ids).execute(),
  ]);
  const foundIDs = new Set(byID.map(({ run_id }) => run_id));
  const named = events.filter(({ notifyID, runID }) => notifyID === '' && !foundIDs.has(runID));
  const byName = await Promise.all(
    named.map(({ experimentID, name }) =>
      ofProject
        .where('experiment_id', '=', experimentID)
        .where('name', '=', name)
        .where('run_id', 'is', null)
        .limit(1)
        .execute(),
    ),
  );
  return [...byStart, ...byID, ...byName.flat()];
}

async function experimentsOf(
  db: Reader,
  project: string,
  named: readonly string[],
): Promise<ExperimentRow[]> {
  const ids = distinct(named);
  if (ids.length === 0) return [];
  return db
    .selectFrom('experiments')
    .selectAll()
    .where('project_id', '=', project)
    .where('id', 'in', ids)
    .execute();
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => text !== '');
}

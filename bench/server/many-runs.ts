import { runRow } from '../../src/controlplane/run/testing/rows.ts';
import { openStore, type StoreLocation } from '../../src/controlplane/store/open.ts';
import { projectScope } from '../../src/controlplane/store/store.ts';
import { systemClock } from '../../src/kube/runtime/clock.ts';

const PIECE = 500;

/** Writes runs of experiments directly, as if they had been over for long. */
export async function writeRuns(
  location: StoreLocation,
  project: string,
  experiments: readonly string[],
  runs: number,
): Promise<void> {
  const store = await openStore(location, { clock: systemClock });
  try {
    for (let from = 0; from < runs; from += PIECE) {
      const rows = Array.from({ length: Math.min(PIECE, runs - from) }, (_, index) => {
        const number = from + index;
        const experiment_id = experiments[number % experiments.length] ?? '';
        return runRow({
          ...{ key: `many-${number}`, project_id: project, experiment_id, run_id: `many-${number}` },
          ...{ notify_id: `many-${number}`, sequence: Math.floor(number / experiments.length) + 100 },
          ...{ phase: 'Completed', completed: 1, final: 1, score: 100, faults_passed: 1, updated_at: number },
        });
      });
      await store.transaction(projectScope(project), async ({ db }) => {
        await db.insertInto('runs').values(rows).execute();
      });
    }
  } finally {
    await store.close();
  }
}

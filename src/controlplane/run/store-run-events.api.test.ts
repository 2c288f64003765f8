import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import fc from 'fast-check';
import { readExecutionData } from '../../services/report/account/execution-data.ts';
import { Scene, SHOP } from '../experiment/testing/scene.ts';
import { projectScope } from '../store/store.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import type { ReportedEvent } from './reported-event.ts';
import { storeRunEvents } from './store-run-events.ts';
import { executionText } from './testing/execution.ts';

const ENGINE = { engineName: 'pod-deleteabcde', experimentVerdict: 'Pass', probeSuccessPercentage: '50' };
const ACCOUNTS = [
  { text: executionText([]), isCompleted: false },
  { text: executionText([{ ...ENGINE, phase: 'Running' }]), isCompleted: false },
  { text: executionText([ENGINE], { phase: 'Completed', finishedAt: '9' }), isCompleted: true },
  { text: executionText([ENGINE], { phase: 'Error', finishedAt: '9' }), isCompleted: true },
] as const;

/** Which of four runs is told of, how far it is, and whether by its own infrastructure. */
interface Word {
  readonly run: number;
  readonly account: number;
  readonly foreign: boolean;
}

const words: fc.Arbitrary<Word[]> = fc.array(
  fc.record({
    run: fc.nat({ max: 3 }),
    account: fc.nat({ max: ACCOUNTS.length - 1 }),
    foreign: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
  }),
  { minLength: 1, maxLength: 12 },
);

describeOnDatabases('what agents tell of runs', (database) => {
  test('comes to the same, whether it is stored together or one after the other', async () => {
    const scene = await Scene.start(database, { clock: new FakeClock() });
    const { store } = scene.server.plane;
    let made = 0;
    const stored = async (id: string, sequence: readonly Word[], isTogether: boolean): Promise<object> => {
      const manifest = JSON.stringify({ ...JSON.parse(SHOP), metadata: { name: id, namespace: 'litmus' } });
      await scene.save(id, { name: id, manifest });
      const events = sequence.map((word) => eventOf(scene, id, word));
      const pieces = isTogether ? [events] : events.map((event) => [event]);
      const outcomes: string[] = [];
      for (const piece of pieces) {
        const took = await store.transaction(projectScope(scene.project), (tx) => storeRunEvents(tx, piece));
        outcomes.push(...took.map(({ kind }) => kind));
      }
      return { outcomes, ...(await rowsOf(scene, id)) };
    };
    await fc.assert(
      fc.asyncProperty(words, async (sequence) => {
        const number = made++;
        const alone = await stored(`alone-${number}`, sequence, false);
        const together = await stored(`together-${number}`, sequence, true);
        // Nothing but the experiment's name is another one.
        const text = JSON.stringify(alone).replaceAll(`alone-${number}`, `together-${number}`);
        assert.deepEqual(JSON.parse(JSON.stringify(together)), JSON.parse(text));
      }),
      { numRuns: 15 },
    );
  });
});

function eventOf(
  { project, agent }: Scene,
  experimentID: string,
  { run, account, foreign }: Word,
): ReportedEvent {
  const { text, isCompleted } = ACCOUNTS[account] ?? ACCOUNTS[0];
  const data = readExecutionData(text);
  assert.ok(data !== undefined);
  return {
    project,
    infra: foreign ? 'another' : agent.infraID,
    experimentID,
    runID: `${experimentID} ${run}`,
    ...{
      notifyID: '',
      revisionID: '',
      name: `${experimentID}-${run}`,
      username: '',
      isCompleted,
      data,
      text,
    },
  };
}

/** Everything that is stored of an experiment's runs, as plain values. */
async function rowsOf({ server }: Scene, id: string): Promise<object> {
  const { read } = server.plane.store;
  const [runs, experiments, probes, changes] = await Promise.all([
    read.selectFrom('runs').selectAll().where('experiment_id', '=', id).orderBy('key').execute(),
    read
      .selectFrom('experiments')
      .select(['total_runs', 'completed_runs', 'score_sum', 'last_phase', 'last_run_at'])
      .where('id', '=', id)
      .execute(),
    read
      .selectFrom('probe_executions')
      .select(['fault', 'probe_name', 'mode', 'verdict', 'description', 'run_key'])
      .where('experiment_id', '=', id)
      .orderBy('run_key')
      .execute(),
    read.selectFrom('changes').select('body').where('body', 'like', `%"${id}"%`).orderBy('seq').execute(),
  ]);
  const texts = await read
    .selectFrom('run_data')
    .selectAll()
    .where('run_key', 'in', ['', ...runs.map(({ key }) => key)])
    .orderBy('run_key')
    .execute();
  const packed = texts.map(({ run_key, data }) => ({ run_key, data: Buffer.from(data).toString('base64') }));
  const named = runs.map(({ revision_id, ...run }) => ({ ...run, hasRevision: revision_id !== '' }));
  return { runs: named, experiments, probes, changes, texts: packed };
}

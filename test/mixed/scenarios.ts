import assert from 'node:assert/strict';
import type { ChaosEngine } from '../../src/api/index.ts';
import type { Stage } from './mixture.ts';

/** One thing that users do. Resolves with a word when it was refused; throws when it was neither right nor refused. */
export type Scenario = (stage: Stage) => Promise<'right' | `refused: ${string}` | `not kept: ${string}`>;

const MANY = 16;

const verdicts = ({ status }: ChaosEngine): string[] =>
  (status?.experiments ?? []).map(({ name, status: word, verdict }) => `${name}: ${word}, ${verdict}`);

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  run: async (stage) => {
    const before = await uids(stage);
    const engine = await stage.apply('run');
    const ended = await stage.ended('run');
    assert.deepEqual(verdicts(ended), ['pod-delete: Completed, Pass']);
    assert.notDeepEqual(await uids(stage), before, 'a pod is hit');
    assert.equal((await stage.jobs(engine)).length, 1);
    return 'right';
  },

  restart: async (stage) => {
    await stage.apply('again');
    await stage.ended('again');
    await stage.state('again', 'active');
    await stage.when('again', 'under way', ({ status }) => status?.engineStatus === 'initialized');
    const ended = await stage.ended('again');
    assert.deepEqual(verdicts(ended).slice(-1), ['pod-delete: Completed, Pass']);
    assert.ok(verdicts(ended).every((verdict) => verdict === 'pod-delete: Completed, Pass'));
    return 'right';
  },

  abort: async (stage) => {
    const engine = await stage.apply('abort', {}, '120');
    await stage.experimentRuns(engine);
    await stage.state('abort', 'stop');
    const stopped = await stage.when('abort', 'stopped', ({ status }) => status?.engineStatus === 'stopped');
    await stage.nothingLeft(engine);
    assert.ok(verdicts(stopped).every((verdict) => /Forcefully Aborted|Completed, Stopped/.test(verdict)));
    return 'right';
  },

  delete: async (stage) => {
    const engine = await stage.apply('gone', {}, '120');
    await stage.experimentRuns(engine);
    await stage.delete('gone');
    await stage.gone('gone');
    await stage.nothingLeft(engine);
    return 'right';
  },

  two: async (stage) => {
    const engine = await stage.apply('two', {}, '4', ['pod-delete', 'pod-delete-again']);
    const ended = await stage.ended('two');
    assert.deepEqual(verdicts(ended), ['pod-delete: Completed, Pass', 'pod-delete-again: Completed, Pass']);
    assert.equal((await stage.jobs(engine)).length, 2);
    return 'right';
  },

  'dry run': async (stage) => {
    const before = await uids(stage);
    await stage.apply('dry', { dryRun: true });
    const ended = await stage.ended('dry');
    if (
      stage.mixture.runner === 'upstream' &&
      stage.mixture.experiment === 'upstream' &&
      stage.mixture.operator === 'upstream'
    ) {
      return 'not kept: nothing of Turnsole takes part';
    }
    assert.deepEqual(await uids(stage), before, 'no pod is hit');
    const [entry] = ended.status?.experiments ?? [];
    assert.ok(entry);
    assert.notEqual(entry.verdict, 'Pass');
    if (entry.verdict === 'N/A' && entry.status === 'Completed') return 'right';
    // Upstream's operator drops the reason from the entry; the Event has it.
    const reason =
      entry.reason ?? (await stage.warnings()).find((text) => text.includes('spec.dryRun')) ?? '';
    assert.match(reason, /spec\.dryRun/, `refused without a reason: ${verdicts(ended).join('; ')}`);
    return `refused: ${reason}`;
  },

  'sixteen at once': async (stage) => {
    const names = Array.from({ length: MANY }, (_, index) => `many-${index}`);
    const engines = await Promise.all(names.map((name) => stage.apply(name, {}, '1')));
    const ended = await Promise.all(names.map((name) => stage.ended(name)));
    for (const [index, engine] of engines.entries()) {
      const jobs = await stage.jobs(engine);
      assert.equal(jobs.length, 1, `${engine.metadata.name} has ${jobs.length} Jobs`);
      const final = ended[index];
      assert.ok(final);
      assert.equal(final.status?.experiments?.length, 1, verdicts(final).join('; '));
      assert.equal(final.status?.experiments?.[0]?.status, 'Completed');
    }
    return 'right';
  },
};

async function uids(stage: Stage): Promise<string[]> {
  return (await stage.applicationPods()).map(({ metadata }) => metadata.uid ?? '').sort();
}

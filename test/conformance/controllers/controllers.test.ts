/** Runs scenarios on an embedded cluster and compares how they end with how they ended on a real one. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { DELIBERATE_DIFFERENCES } from '../differences.ts';
import { CONTROLLER_DIFFERENCES } from './differences.ts';
import { type EmbeddedLab, startEmbeddedLab } from './harness/embedded.ts';
import { readRecording } from './harness/recording.ts';
import { replayControllerScenario } from './harness/replay.ts';
import { CONTROLLER_THEMES } from './scenarios/index.ts';

const MAX_DELIBERATE_DIFFERENCES = 10;
const CONCURRENCY = 8;
/** Scenarios that wait for whole minutes run by `npm run conformance:controllers:long` only. */
const IS_LONG = process.env.CONFORMANCE_LONG === '1';
const SLOW_LIMIT_MS = 240_000;
const KNOWN_LIMIT_MS = 4_000;

/** Scenarios that still end differently, with the cause. */
const known = JSON.parse(readFileSync(new URL('./known-failures.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, string>
>; // written by hand; names that are no scenario's are complained about below

const places = CONTROLLER_DIFFERENCES.flatMap((difference) => difference.places);
const recorded = new Map(
  CONTROLLER_THEMES.flatMap(({ theme }) =>
    readRecording(theme).scenarios.map((outcome) => [outcome.name, outcome] as const),
  ),
);

describe('controller conformance', () => {
  let embedded: EmbeddedLab;
  before(async () => {
    embedded = await startEmbeddedLab(IS_LONG ? { limitMs: SLOW_LIMIT_MS } : {});
  });
  after(() => embedded.stop());

  const scenarios = CONTROLLER_THEMES.flatMap((theme) => theme.scenarios).filter(
    ({ slow = false }) => slow === IS_LONG,
  );
  for (const [title, isAlone, concurrency] of [
    ['side by side', false, CONCURRENCY],
    ['alone', true, 1],
  ] as const) {
    describe(title, { concurrency }, () => {
      for (const scenario of scenarios.filter(({ alone = false }) => alone === isAlone)) {
        it(scenario.name, async (test) => {
          const outcome = recorded.get(scenario.name);
          const difference = await replayControllerScenario(
            scenario,
            outcome,
            // Who is known to fail is not waited for long.
            known[scenario.name] === undefined
              ? embedded.cluster
              : { ...embedded.cluster, limitMs: KNOWN_LIMIT_MS },
            places,
            test.signal,
          );
          const cause = known[scenario.name];
          if (cause === undefined) {
            if (difference !== undefined) assert.fail(`- recorded, + ours\n${difference}`);
          } else {
            assert.ok(difference !== undefined, 'is as recorded now: remove it from known-failures.json');
            test.diagnostic(`known failure: ${cause}`);
          }
        });
      }
    });
  }

  it('has scenarios of different names, and no recording without its scenario', () => {
    const names = CONTROLLER_THEMES.flatMap((theme) => theme.scenarios).map(({ name }) => name);
    assert.deepEqual(names, [...new Set(names)]);
    assert.deepEqual([...recorded.keys()], names);
    assert.deepEqual(
      [...Object.keys(known), ...places.map(({ scenario }) => scenario)].filter(
        (name) => !names.includes(name),
      ),
      [],
    );
  });

  it('tells users of each deliberate difference, of which there are few', () => {
    assert.ok(DELIBERATE_DIFFERENCES.length + CONTROLLER_DIFFERENCES.length < MAX_DELIBERATE_DIFFERENCES);
    const page = readFileSync(new URL('../../../docs/embedded-cluster.md', import.meta.url), 'utf8');
    const text = page.replaceAll(/\s+/g, ' ');
    for (const { reason } of CONTROLLER_DIFFERENCES) assert.ok(text.includes(reason), reason);
  });
});

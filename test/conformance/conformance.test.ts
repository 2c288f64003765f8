/** Asks the embedded API server what a real one was asked, and compares the answers. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { DELIBERATE_DIFFERENCES } from './differences.ts';
import { type EmbeddedServer, startEmbedded } from './harness/embedded.ts';
import { readKnownFailures } from './harness/known-failures.ts';
import { readRecording } from './harness/recording.ts';
import { replay } from './harness/replay.ts';
import { THEMES } from './scenarios/index.ts';

const MAX_DELIBERATE_DIFFERENCES = 10;
const CONCURRENCY = 8;

describe('conformance', () => {
  const known = readKnownFailures();
  let embedded: EmbeddedServer;
  before(async () => {
    embedded = await startEmbedded();
  });
  after(() => embedded.stop());

  for (const { theme, scenarios } of THEMES) {
    // Scenarios share nothing, and some wait for controllers: side by side they take a third of the time.
    describe(theme, { concurrency: CONCURRENCY }, () => {
      const recording = new Map(readRecording(theme).scenarios.map((scenario) => [scenario.name, scenario]));
      for (const scenario of scenarios) {
        it(scenario.name, async (test) => {
          const difference = await replay(
            scenario,
            recording.get(scenario.name),
            embedded.target,
            DELIBERATE_DIFFERENCES,
          );
          const cause = known.get(scenario.name);
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
    for (const { theme, scenarios } of THEMES) {
      const names = scenarios.map(({ name }) => name);
      const recorded = readRecording(theme).scenarios.map(({ name }) => name);
      assert.deepEqual(recorded, names, `recording of ${theme}`);
    }
    const names = THEMES.flatMap(({ scenarios }) => scenarios.map(({ name }) => name));
    assert.deepEqual(names, [...new Set(names)]);
  });

  it('knows the scenarios of known failures and deliberate differences', () => {
    const names = new Set(THEMES.flatMap(({ scenarios }) => scenarios.map(({ name }) => name)));
    const mentioned = [
      ...known.keys(),
      ...DELIBERATE_DIFFERENCES.flatMap(({ places }) => places.map(({ scenario }) => scenario)),
    ];
    assert.deepEqual(
      mentioned.filter((name) => !names.has(name)),
      [],
    );
    assert.ok(DELIBERATE_DIFFERENCES.length < MAX_DELIBERATE_DIFFERENCES);
  });

  it('tells users of each deliberate difference', () => {
    const page = readFileSync(new URL('../../docs/embedded-cluster.md', import.meta.url), 'utf8');
    const text = page.replaceAll(/\s+/g, ' ');
    for (const { reason } of DELIBERATE_DIFFERENCES) assert.ok(text.includes(reason), reason);
  });
});

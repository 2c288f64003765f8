/** Holds kubectl's conversations with the embedded cluster, and compares the answers with those of a real one. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { THEMES } from './conversations/index.ts';
import { compare, describeAnswers } from './harness/compare.ts';
import { type EmbeddedPlace, openEmbedded } from './harness/embedded.ts';
import { hold } from './harness/hold.ts';
import { knownDifferences } from './harness/known.ts';
import { askKubectl, type Kubectl } from './harness/kubectl.ts';
import { answersOf, digestOf, readRecording } from './harness/recording.ts';

/** So many of a hundred conversations are the same, at least. */
const LEAST_EQUAL_PERCENT = 94;
const CONCURRENCY = 4;
/** How long is waited for what is known not to come. */
const IN_VAIN_MS = 15_000;

const kubectl = kubectlOfRecordings();
const NAMES = THEMES.flatMap(({ conversations }) => conversations.map(({ name }) => name));

/** The kubectl of this machine, or why its answers cannot be compared. */
function kubectlOfRecordings(): Kubectl | string {
  try {
    const found = askKubectl(process.env.KUBECTL ?? 'kubectl');
    const { clients } = readRecording(THEMES[0]?.theme ?? '');
    if (clients.includes(found.version)) return found;
    return `kubectl is ${found.version}; answers were recorded with ${clients.join(' and ')}`;
  } catch (error) {
    return String(error);
  }
}

describe('kubectl', { skip: typeof kubectl === 'string' ? kubectl : false }, () => {
  let embedded: EmbeddedPlace;
  before(async () => {
    assert.ok(typeof kubectl !== 'string');
    embedded = await openEmbedded(kubectl);
  });
  after(() => embedded[Symbol.asyncDispose]());

  for (const isAlone of [false, true]) {
    describe(isAlone ? 'alone' : 'side by side', { concurrency: isAlone ? 1 : CONCURRENCY }, () => {
      for (const { theme, conversations } of THEMES) {
        const recording = readRecording(theme);
        for (const conversation of conversations.filter(({ alone = false }) => alone === isAlone)) {
          it(`${theme}/${conversation.name}`, async () => {
            const recorded = recording.conversations.find(({ name }) => name === conversation.name);
            assert.equal(
              recorded?.digest,
              digestOf(conversation),
              'changed since it was recorded: record it again',
            );
            const answers = answersOf(recording, recorded, embedded.place.kubectl.version) ?? [];
            const known = knownDifferences(embedded.place.kubectl.version).get(conversation.name) ?? [];
            if (known === 'unheld') {
              const inVain = { ...embedded.place, limitMs: IN_VAIN_MS };
              await assert.rejects(
                hold(conversation, inVain),
                'it can be held now: take it out of differences.ts',
              );
              return;
            }
            const ours = await hold(conversation, embedded.place);
            const { unknown, past } = compare(answers, ours, known);
            if (unknown.length > 0) {
              assert.fail(`- recorded, + ours\n${describeAnswers(answers, ours, unknown)}`);
            }
            assert.deepEqual(past, [], 'answers that are as recorded now: take them out of differences.ts');
          });
        }
      }
    });
  }
});

describe('the conversations with kubectl', () => {
  it('have different names, and a recording each', () => {
    assert.deepEqual(NAMES, [...new Set(NAMES)]);
    const recorded = THEMES.flatMap(({ theme }) =>
      readRecording(theme).conversations.map(({ name }) => name),
    );
    assert.deepEqual(recorded, NAMES);
  });

  it('are the same but for known differences, which are few', () => {
    const differing = [...knownDifferences().keys()];
    assert.deepEqual(
      differing.filter((name) => !NAMES.includes(name)),
      [],
    );
    const equal = NAMES.length - differing.length;
    assert.ok(
      (100 * equal) / NAMES.length >= LEAST_EQUAL_PERCENT,
      `${equal} of ${NAMES.length} are the same`,
    );
  });
});

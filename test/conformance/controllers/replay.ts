/**
 * Shows how scenarios end differently on the embedded cluster than recorded:
 * `node test/conformance/controllers/replay.ts [--long] [part of a theme's or scenario's name…]`.
 */
import { CONTROLLER_DIFFERENCES } from './differences.ts';
import { startEmbeddedLab } from './harness/embedded.ts';
import { runAll } from './harness/parallel.ts';
import { readRecording } from './harness/recording.ts';
import { replayControllerScenario } from './harness/replay.ts';
import { CONTROLLER_THEMES } from './scenarios/index.ts';

const CONCURRENCY = 8;
const SLOW_LIMIT_MS = 200_000;
/** Who looks at differences does not want to wait for each as long as the suite does. */
const LIMIT_MS = 8_000;

const args = process.argv.slice(2);
const isLong = args.includes('--long');
const words = args.filter((arg) => !arg.startsWith('--'));
const places = CONTROLLER_DIFFERENCES.flatMap((difference) => difference.places);
const embedded = await startEmbeddedLab({ limitMs: isLong ? SLOW_LIMIT_MS : LIMIT_MS });
const startedMs = performance.now();
let total = 0;
let failed = 0;
await runAll(CONTROLLER_THEMES, CONCURRENCY, async (scenario, { theme }) => {
  if ((scenario.slow ?? false) !== isLong) return;
  if (words.length > 0 && !words.some((word) => `${theme}/${scenario.name}`.includes(word))) return;
  total += 1;
  const recorded = readRecording(theme).scenarios.find(({ name }) => name === scenario.name);
  const beganMs = performance.now();
  const difference = await replayControllerScenario(
    scenario,
    recorded,
    embedded.cluster,
    places,
    AbortSignal.timeout(300_000),
  ).catch(String);
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
  if (difference === undefined) return;
  failed += 1;
  process.stdout.write(`✗ ${theme}/${scenario.name} (${seconds} s)\n${difference}\n\n`);
});
const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
process.stdout.write(`${total - failed} of ${total} scenarios end as recorded, ${seconds} s\n`);
await embedded.stop();

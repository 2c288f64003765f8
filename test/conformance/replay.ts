/**
 * Shows how the embedded API server differs from the recordings:
 * `node test/conformance/replay.ts [--write-known] [part of a theme's or scenario's name…]`.
 * With `--write-known` known-failures.json becomes what fails now; causes that are there are kept.
 */
import { DELIBERATE_DIFFERENCES } from './differences.ts';
import { startEmbedded } from './harness/embedded.ts';
import { readKnownFailures, writeKnownFailures } from './harness/known-failures.ts';
import { readRecording } from './harness/recording.ts';
import { replay } from './harness/replay.ts';
import { THEMES } from './scenarios/index.ts';

const args = process.argv.slice(2);
const words = args.filter((arg) => !arg.startsWith('--'));
const known = new Map(readKnownFailures());
const embedded = await startEmbedded();
const startedMs = performance.now();
let total = 0;
let failed = 0;
for (const { theme, scenarios } of THEMES) {
  const recording = new Map(readRecording(theme).scenarios.map((scenario) => [scenario.name, scenario]));
  for (const scenario of scenarios) {
    if (words.length > 0 && !words.some((word) => `${theme}/${scenario.name}`.includes(word))) continue;
    total += 1;
    const difference = await replay(
      scenario,
      recording.get(scenario.name),
      embedded.target,
      DELIBERATE_DIFFERENCES,
    );
    if (difference === undefined) {
      known.delete(scenario.name);
      continue;
    }
    failed += 1;
    if (!known.has(scenario.name)) known.set(scenario.name, 'not looked into yet');
    process.stdout.write(`✗ ${theme}/${scenario.name}\n${difference}\n\n`);
  }
}
const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
process.stdout.write(`${total - failed} of ${total} scenarios as recorded, ${seconds} s\n`);
await embedded.stop();
if (args.includes('--write-known')) {
  const names = new Set(THEMES.flatMap(({ scenarios }) => scenarios.map(({ name }) => name)));
  writeKnownFailures(new Map([...known].filter(([name]) => names.has(name))));
}

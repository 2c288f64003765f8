/** `npm run test:mixed [-- --only MIXTURE] [--scenario NAME]`: Turnsole beside upstream's programs. See README.md. */
import { parseArgs } from 'node:util';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import { startChaosCluster } from '../../src/embedded/index.ts';
import { startLocalOperator } from '../../src/runs/session/open-cluster.ts';
import {
  MIXTURES,
  type Mixture,
  nameOf,
  type Side,
  Stage,
  UPSTREAM_EXPERIMENT,
  UPSTREAM_RUNNER,
} from './mixture.ts';
import { SCENARIOS } from './scenarios.ts';
import { startUpstreamOperator, type UpstreamPrograms, upstreamPrograms } from './upstream.ts';

const { values } = parseArgs({
  options: { only: { type: 'string' }, scenario: { type: 'string' } },
});

interface Outcome {
  readonly mixture: string;
  readonly scenario: string;
  readonly outcome: string;
  readonly seconds: number;
}

const programs = upstreamPrograms(process.env);
if (typeof programs === 'string') console.log(`skipped: ${programs}`);
else {
  const outcomes: Outcome[] = [];
  for (const operator of ['ours', 'upstream'] as const) outcomes.push(...(await runAll(operator, programs)));
  print(outcomes);
  process.exitCode = outcomes.some(({ outcome }) => outcome.startsWith('wrong')) ? 1 : 0;
}

/** All mixtures with this operator, on a cluster of their own. */
async function runAll(operator: Side, upstream: UpstreamPrograms): Promise<Outcome[]> {
  const mixtures = MIXTURES.filter(
    (mixture) => mixture.operator === operator && (values.only ?? nameOf(mixture)) === nameOf(mixture),
  );
  if (mixtures.length === 0) return [];
  const embedded = await startChaosCluster({
    isolation: 'full',
    images: new Map([
      [UPSTREAM_RUNNER, { entrypoint: [upstream.runner] }],
      [UPSTREAM_EXPERIMENT, { entrypoint: [upstream.experiment] }],
    ]),
  });
  const client = createClient(embedded.adminConfig);
  const { knownImages, kubeconfigPath } = embedded;
  const isVerbose = process.env.MIXED_VERBOSE !== undefined;
  const running =
    operator === 'ours'
      ? await startLocalOperator(client, { verbose: isVerbose, knownImages })
      : startUpstreamOperator(upstream.operator, kubeconfigPath, UPSTREAM_RUNNER);
  try {
    const outcomes: Outcome[] = [];
    for (const mixture of mixtures)
      outcomes.push(...(await runMixture(client, mixture, upstream.experiment)));
    return outcomes;
  } finally {
    await ('stop' in running ? running.stop() : running[Symbol.asyncDispose]());
    client.close();
    await embedded.close();
  }
}

async function runMixture(client: KubeClient, mixture: Mixture, program: string): Promise<Outcome[]> {
  const stage = new Stage(client, mixture, program);
  await stage.setUp();
  const outcomes: Outcome[] = [];
  for (const [scenario, run] of Object.entries(SCENARIOS)) {
    if ((values.scenario ?? scenario) !== scenario) continue;
    const startedAt = performance.now();
    const outcome = await run(stage).catch(async (error: unknown) => {
      const said = (await stage.warnings()).map((warning) => `\n  ${warning}`).join('');
      return `wrong: ${error instanceof Error ? error.message : String(error)}${said}`;
    });
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    outcomes.push({ mixture: nameOf(mixture), scenario, outcome, seconds });
    console.log(`${nameOf(mixture)}  ${scenario}  ${seconds} s  ${outcome}`);
  }
  return outcomes;
}

function print(outcomes: readonly Outcome[]): void {
  const count = (mixture: string, word: string): number =>
    outcomes.filter((one) => one.mixture === mixture && one.outcome.startsWith(word)).length;
  console.log('\noperator/runner/experiment        right  refused  not kept  wrong');
  for (const mixture of new Set(outcomes.map((one) => one.mixture))) {
    const counts = ['right', 'refused', 'not kept', 'wrong'].map((word) =>
      String(count(mixture, word)).padStart(6),
    );
    console.log(`${mixture.padEnd(32)}${counts.join('   ')}`);
  }
}

import type { ControllerScenario, ControllerTheme } from './scenario.ts';

/** Runs the scenarios side by side, then one by one those that have to be alone. Failures are the caller's to catch. */
export async function runAll(
  themes: readonly ControllerTheme[],
  limit: number,
  run: (scenario: ControllerScenario, theme: ControllerTheme) => Promise<void>,
): Promise<void> {
  const all = themes.flatMap((theme) => theme.scenarios.map((scenario) => ({ scenario, theme })));
  // Slow ones wait most of the time: they begin first.
  const queue = all.filter(({ scenario }) => scenario.alone !== true);
  queue.sort((a, b) => Number(b.scenario.slow ?? false) - Number(a.scenario.slow ?? false));
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      await run(next.scenario, next.theme);
  };
  await Promise.all(Array.from({ length: limit }, work));
  for (const { scenario, theme } of all) if (scenario.alone === true) await run(scenario, theme);
}

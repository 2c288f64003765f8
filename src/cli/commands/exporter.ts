import { runExporter } from '../../exporter/index.ts';

/** In-cluster entry point of the exporter: `turnsole exporter`. Resolves to the exit code. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return runExporter(argv, env);
}

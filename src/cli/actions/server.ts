import type { ReadyServer } from '../../controlplane/server/run-server.ts';
import type { ServerOptions } from '../../controlplane/server/server-options.ts';
import { EXIT } from '../../process/exit-codes.ts';
import { termination } from '../../process/signals.ts';
import { LocalServers } from '../server/local-servers.ts';
import { serverError } from '../server/server-error.ts';

/** Options of `turnsole server`, as the command line gives them. */
export type ServerCommandOptions = ServerOptions;

/** Runs the control plane until SIGTERM or Ctrl-C; a second one ends it at once. */
export async function run(options: ServerCommandOptions): Promise<number> {
  const stop = termination();
  const servers = new LocalServers(process.env);
  const { runServer } = await import('../../controlplane/server/run-server.ts');
  let known: string | undefined;
  try {
    await runServer(options, {
      env: process.env,
      signal: stop.signal,
      onReady: async (ready) => {
        known = ready.dataFolder;
        const { url, dataFolder, localToken: token } = ready;
        await servers.add({ url, dataFolder, pid: process.pid, ...(token !== undefined && { token }) });
        console.log(welcome(ready));
      },
    });
    return EXIT.pass;
  } catch (error) {
    throw serverError(error);
  } finally {
    if (known !== undefined) await servers.remove(known);
    stop.close();
  }
}

/** What somebody who has started it needs to know. */
function welcome({ url, metricsUrl, dataFolder, administrator }: ReadyServer): string {
  const readyMs = Math.round(performance.now());
  return [
    `turnsole server ready in ${readyMs} ms`,
    `  address   ${url}`,
    `  data      ${dataFolder}`,
    ...(metricsUrl === undefined ? [] : [`  metrics   ${metricsUrl}`]),
    ...signInLines(administrator),
  ].join('\n');
}

/** How to sign in for the first time; the password is shown here only. */
function signInLines(administrator: ReadyServer['administrator']): string[] {
  if (administrator === undefined) return [];
  const { username, password } = administrator;
  if (password === undefined)
    return [`  sign in   as ${username} with ADMIN_PASSWORD, which then has to be replaced`];
  return [`  sign in   as ${username} with password ${password} (shown this once)`];
}

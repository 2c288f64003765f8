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

/** What the user who has started it needs to know. */
function welcome({ url, metricsUrl, dataFolder, administrator }: ReadyServer): string {
  const readyMs = Math.round(performance.now());
  return [
    `turnsole server ready in ${readyMs} ms`,
    `  page      ${url}/ui/`,
    `  address   ${url}`,
    `  data      ${dataFolder}`,
    ...(metricsUrl === undefined ? [] : [`  metrics   ${metricsUrl}`]),
    ...(administrator === undefined ? [] : firstSignIn(url, administrator)),
  ].join('\n');
}

/** Shown once: the password cannot be shown again. */
function firstSignIn(
  url: string,
  { username, password }: NonNullable<ReadyServer['administrator']>,
): string[] {
  const secret = password ?? 'that of ADMIN_PASSWORD, to be replaced at the first sign-in';
  return [
    '',
    'the first user was made; this is shown once',
    `  username  ${username}`,
    `  password  ${secret}`,
    '',
    'next: connect a cluster, in another terminal',
    '  npx turnsole connect --local                  an embedded one on this machine',
    `  npx turnsole remote login ${url}   then "connect --kubeconfig FILE" from anywhere`,
  ];
}

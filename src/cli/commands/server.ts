import { type Command, InvalidArgumentError } from 'commander';
import type { ServerCommandOptions } from '../actions/server.ts';
import type { Done } from '../common-options.ts';

/** `turnsole server`. */
export function addServer(program: Command, done: Done): void {
  program
    .command('server')
    .description(
      'run the control plane: one process with the API that clients and agents of ChaosCenter speak',
    )
    .option('--data <dir>', 'folder of the database, keys and hubs (default: $XDG_DATA_HOME/turnsole/server)')
    .option(
      '--database <url>',
      'postgres://…, for several servers (default: a file in --data; environment TURNSOLE_DATABASE_URL)',
    )
    .option('--listen <address>', 'HOST:PORT, :PORT for all addresses, PORT (default: 127.0.0.1:9002)')
    .option(
      '--metrics-listen <address>',
      'serve metrics for Prometheus there, at /metrics (default: nowhere)',
    )
    .option(
      '--public-url <url>',
      'address that agents and links are given (default: the one that a client has used)',
    )
    .option('--tls-cert <file>', 'certificate chain in PEM: serve HTTPS')
    .option('--tls-key <file>', 'its key in PEM')
    .option(
      '--allowed-origin <pattern>',
      'pages of other origins that may call, as a regular expression of the whole origin (repeatable)',
      (text: string, before: readonly string[] = []) => [...before, text],
    )
    .option(
      '--trust-proxy [which]',
      'believe X-Forwarded-For and -Proto of the proxies in front: how many there are (default: 1), or their networks, such as 10.0.0.0/8,fd00::/8',
    )
    .option('--keep-runs-days <days>', 'delete finished runs after so many days (default: never)', parseDays)
    .option(
      '--keep-audit-days <days>',
      'delete lines of the audit log after so many days (default: never)',
      parseDays,
    )
    .action(async (options: ServerCommandOptions) => {
      done(await (await import('../actions/server.ts')).run(options));
    });
}

const MOST_DAYS = 36_500;

function parseDays(text: string): number {
  const days = Number(text);
  if (/^\d+$/.test(text) && days >= 1 && days <= MOST_DAYS) return days;
  throw new InvalidArgumentError(`expected a whole number of days from 1 to ${MOST_DAYS}`);
}

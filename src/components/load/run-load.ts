import { type Clock, systemClock } from '@turnsole/kube/base/clock';
import { createLogger, type Logger } from '@turnsole/kube/base/log';
import { textReply } from '@turnsole/kube/serve/reply';
import { startHttpServer } from '@turnsole/kube/serve/server';
import type { Environment } from '@turnsole/kube/text/environment';
import type { LoadRecord } from '../../experiment/probes/load/load-plan.ts';
import { startLoad } from '../../experiment/probes/load/sender.ts';
import { POD_EXIT } from '../../process/exit-codes.ts';
import { readFlags } from '../../process/flags.ts';
import { createMetrics, type Metrics } from '../../process/metrics.ts';
import { aborted, termination } from '../../process/signals.ts';
import { UsageError } from '../../process/usage-error.ts';
import { answerOf, type LoadFacts, statsOf } from './answers.ts';
import { FLAGS, type LoadSettings, readSettings } from './settings.ts';
import { Tally } from './tally.ts';

/** What the process gives; tests give their own. */
interface LoadIo {
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly signal?: AbortSignal;
  /** Called with the port on which counts are served. */
  readonly onListening?: (port: number) => void;
}

/** Counts are logged this often. */
const LOG_MS = 5000;

/**
 * Entry point of `turnsole load`: sends requests to a service until it is stopped, and serves what came of them. It needs no cluster.
 *
 * @returns exit code: 0 stopped, 1 failed, 2 wrong command line, environment or file
 */
export async function runLoad(
  argv: readonly string[],
  env: Environment,
  {
    clock = systemClock,
    logger = createLogger({ component: 'load' }),
    signal = termination().signal,
    onListening,
  }: LoadIo = {},
): Promise<number> {
  try {
    const settings = await readSettings(readFlags('load', argv, FLAGS), env, signal);
    await serve(settings, { clock, logger, signal, onListening });
    return POD_EXIT.done;
  } catch (error) {
    if (error instanceof UsageError) {
      logger.error({ code: error.code, detail: error.message }, 'load cannot start');
      return POD_EXIT.cannotStart;
    }
    logger.error({ err: error }, 'load failed');
    return POD_EXIT.failed;
  }
}

async function serve(
  { plan, address }: LoadSettings,
  {
    clock,
    logger,
    signal,
    onListening,
  }: Required<Pick<LoadIo, 'clock' | 'logger' | 'signal'>> & Pick<LoadIo, 'onListening'>,
): Promise<void> {
  const tally = new Tally(clock.now());
  const metrics = createMetrics();
  const count = counters(metrics);
  let hasBegun = false;
  const facts = (): LoadFacts => ({ tally, hasBegun, concurrency: plan.concurrency, nowMs: clock.now() });
  const onRecord = (record: LoadRecord): void => {
    if (hasBegun) tally.add(record);
    else if (record.outcome === 'answered') {
      // A service that is still starting has no users to disappoint.
      hasBegun = true;
      tally.reset(clock.now());
    }
    count(record);
  };
  const server =
    address &&
    (await startHttpServer({
      what: 'counts of the load',
      address,
      answer: async ({ url = '/', method = 'GET' }) => {
        const [path] = url.split('?', 1);
        if (path === '/healthz' || path === '/readyz') return textReply(200, 'ok\n');
        if (path === '/metrics') return { status: 200, ...(await metrics.page()) };
        return (
          answerOf(method, url, facts()) ??
          textReply(404, 'not found; there are /stats, /slo, /reset and /metrics\n')
        );
      },
      onError: (err) => logger.warn({ err }, 'cannot answer a request for counts'),
    }));
  if (server !== undefined) onListening?.(server.port);
  const stats = (): object => statsOf(facts(), new URLSearchParams());
  logger.info(
    {
      rate: plan.rate,
      connections: plan.connections,
      urls: plan.targets.map(({ url }) => url.origin + url.pathname),
    },
    'load begins',
  );
  const load = startLoad(plan, { stamp: () => clock.now(), onRecord });
  let cancelLog = (): void => {};
  const logOn = (): void => {
    cancelLog = clock.setTimer(LOG_MS, () => {
      logger.info({ ...stats() }, 'load');
      logOn();
    });
  };
  logOn();
  try {
    await aborted(signal);
  } finally {
    cancelLog();
    load.abort();
    logger.info({ ...stats() }, 'load ends');
    await server?.close();
  }
}

/** Counts for Prometheus, which begin with the process and are never reset. */
function counters(metrics: Metrics): (record: LoadRecord) => void {
  const requests = metrics.counter(
    'turnsole_load_requests_total',
    'Requests that were due, by what came of them.',
    ['outcome'],
  );
  const unsent = metrics.counter(
    'turnsole_load_unsent_total',
    'Requests that were due and not sent, by the reason.',
    ['reason'],
  );
  const durations = metrics.histogram(
    'turnsole_load_request_duration_seconds',
    'Time from sending a request to the end of its answer, or to its failure.',
    ['outcome'],
  );
  return (record) => {
    if (record.outcome === 'unsent') {
      requests.inc({ outcome: 'unsent' }, record.count);
      unsent.inc({ reason: record.why }, record.count);
      return;
    }
    const { outcome, tookMs } = record;
    requests.inc({ outcome });
    durations.observe(tookMs / 1000, { outcome });
  };
}

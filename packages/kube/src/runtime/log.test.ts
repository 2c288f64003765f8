import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { createLogger, type LogLevel, levelOf } from '../base/log.ts';

function lines(level: LogLevel | undefined) {
  const written: Record<string, unknown>[] = [];
  const logger = createLogger({
    component: 'runner',
    ...(level === undefined ? {} : { level }),
    write: (line) => written.push(JSON.parse(line)),
  });
  return { written, logger };
}

test('a line is JSON: level, time, sentence, context and what varies', () => {
  const { written, logger } = lines('info');
  const run = logger.child({ engine: 'shop/nginx', runId: 'r1' });
  run.child({ experiment: 'pod-delete' }).info({ job: 'pod-delete-x1' }, 'job created');
  const [line] = written;
  assert.match(String(line?.time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(
    { ...line, time: '' },
    {
      level: 'info',
      time: '',
      component: 'runner',
      engine: 'shop/nginx',
      runId: 'r1',
      experiment: 'pod-delete',
      job: 'pod-delete-x1',
      msg: 'job created',
    },
  );
});

test('an error is written with its message, stack and cause', () => {
  const { written, logger } = lines('error');
  logger.error({ err: new Error('outer', { cause: new Error('inner') }) }, 'it failed');
  const { err } = written[0] as { err: { message: string; stack: string; cause: { message: string } } };
  assert.equal(err.message, 'outer');
  assert.match(err.stack, /log\.test\.ts/);
  assert.equal(err.cause.message, 'inner');
});

test('levels below the threshold are not written', () => {
  const table: readonly [LogLevel, string[]][] = [
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['error', ['error']],
    ['silent', []],
  ];
  for (const [level, expected] of table) {
    const { written, logger } = lines(level);
    for (const each of ['debug', 'info', 'warn', 'error'] as const) logger[each]('said');
    assert.deepEqual(
      written.map((line) => line.level),
      expected,
    );
  }
});

test('a wrong LOG_LEVEL is info', () => {
  assert.deepEqual([levelOf(undefined), levelOf('loud'), levelOf(' WARN ')], ['info', 'info', 'warn']);
});

test('lines are out before the process ends, and pino is loaded by the first of them only', async () => {
  const script = `
    const { createLogger } = await import(${JSON.stringify(new URL('../base/log.ts', import.meta.url).href)});
    const { createRequire } = await import('node:module');
    const loaded = () => Object.keys(createRequire(${JSON.stringify(import.meta.url)}).cache ?? {}).some((file) => file.includes('pino'));
    const logger = createLogger({ component: 'x' });
    logger.debug('not written');
    const before = loaded();
    logger.info('written');
    logger.info({ before, after: loaded() }, 'last words');
    process.exit(3);
  `;
  const { LOG_LEVEL: _, ...env } = process.env;
  const failed = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    env,
  }).then(
    () => assert.fail('exit code 3 is expected'),
    (error: { code: number; stdout: string }) => error,
  );
  assert.equal(failed.code, 3);
  const [first, second] = failed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(first.msg, 'written');
  assert.deepEqual([second.msg, second.before, second.after], ['last words', false, true]);
});

test('a counter of lines gets each that is written, also by a child, and no other', () => {
  const levels: LogLevel[] = [];
  const logger = createLogger({
    component: 'runner',
    level: 'info',
    write: () => {},
    onLine: (level) => levels.push(level),
  });
  logger.debug('not written');
  logger.info('said');
  logger.child({ engine: 'shop/nginx' }).warn({ job: 'x' }, 'said');
  assert.deepEqual(levels, ['info', 'warn']);
});

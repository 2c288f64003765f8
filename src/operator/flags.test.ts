import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OperatorUsageError, parseOperatorFlags } from './flags.ts';

const DEFAULTS = { leaderElect: false, metricsAddress: { port: 8080 }, healthAddress: { port: 8081 } };

const GOOD: readonly [argv: string[], expected: object][] = [
  [[], {}],
  [['-leader-elect'], { leaderElect: true }],
  [['--leader-elect=false'], {}],
  [['-metrics-bind-address', '127.0.0.1:9000'], { metricsAddress: { host: '127.0.0.1', port: 9000 } }],
  [['--metrics-bind-address=0'], { metricsAddress: undefined }],
  [
    ['--health-probe-bind-address=[::1]:0', '-leader-elect'],
    { healthAddress: { host: '::1', port: 0 }, leaderElect: true },
  ],
];

for (const [argv, expected] of GOOD) {
  test(`flags: ${argv.join(' ') || 'none'}`, () => {
    assert.deepEqual(parseOperatorFlags(argv), { ...DEFAULTS, ...expected });
  });
}

const BAD: readonly [argv: string[], message: RegExp][] = [
  [['-leader-elect=maybe'], /neither true nor false/],
  [['-metrics-bind-address'], /needs an address/],
  [['-metrics-bind-address=9000'], /no address/],
  [['-metrics-bind-address=:99999'], /no address/],
  [['-kubeconfig', 'x'], /unknown argument "-kubeconfig"/],
  [['run'], /unknown argument "run"/],
];

for (const [argv, message] of BAD) {
  test(`flags: ${argv.join(' ')} is refused`, () => {
    assert.throws(
      () => parseOperatorFlags(argv),
      (error) => error instanceof OperatorUsageError && message.test(error.message),
    );
  });
}

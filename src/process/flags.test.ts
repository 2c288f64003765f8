import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressFlag, choiceFlag, readFlags, SWITCH, textFlag, wholeFlag } from './flags.ts';
import { UsageError } from './usage-error.ts';

const TABLE = { lead: SWITCH, 'metrics-address': addressFlag({ port: 8080 }), file: textFlag('FILE') };
const DEFAULTS = { lead: false, 'metrics-address': { port: 8080 }, file: undefined };

const GOOD: readonly [argv: string[], expected: object][] = [
  [[], {}],
  [['-lead'], { lead: true }],
  [['--lead=false'], {}],
  [['-lead', '-file', 'a'], { lead: true, file: 'a' }],
  [['--file=a=b'], { file: 'a=b' }],
  [['-file', '-lead'], { file: '-lead' }],
  [['-file='], { file: '' }],
  [['-file', 'a', '--file', 'b'], { file: 'b' }],
  [['-metrics-address', '127.0.0.1:9000'], { 'metrics-address': { host: '127.0.0.1', port: 9000 } }],
  [['--metrics-address=0'], { 'metrics-address': undefined }],
  [['--metrics-address=[::1]:0', '-lead'], { 'metrics-address': { host: '::1', port: 0 }, lead: true }],
];

for (const [argv, expected] of GOOD) {
  test(`flags: ${argv.join(' ') || 'none'}`, () => {
    assert.deepEqual(readFlags('program', argv, TABLE), { ...DEFAULTS, ...expected });
  });
}

const USAGE = 'usage: turnsole program [-lead] [-metrics-address ADDRESS] [-file FILE]';
const NO_ADDRESS = 'is no address; expected is host:port or :port, or 0 for none';

const BAD: readonly [argv: string[], message: string][] = [
  [['-lead=maybe'], 'flag -lead: "maybe" is neither true nor false'],
  [['-metrics-address'], `flag -metrics-address needs a value; ${USAGE}`],
  [['-metrics-address=9000'], `flag -metrics-address: "9000" ${NO_ADDRESS}`],
  [['-metrics-address=:99999'], `flag -metrics-address: ":99999" ${NO_ADDRESS}`],
  [['-kubeconfig', 'x'], `unknown argument "-kubeconfig"; ${USAGE}`],
  [['-lead', 'false'], `unknown argument "false"; ${USAGE}`],
  [['---file', 'x'], `unknown argument "---file"; ${USAGE}`],
  [['-constructor=x'], `unknown argument "-constructor=x"; ${USAGE}`],
  [['--'], `unknown argument "--"; ${USAGE}`],
];

for (const [argv, message] of BAD) {
  test(`flags: ${argv.join(' ')} is refused`, () => {
    assert.throws(
      () => readFlags('program', argv, TABLE),
      (error) => {
        assert.ok(error instanceof UsageError);
        assert.equal(error.message, message);
        return true;
      },
    );
  });
}

const TYPED = {
  scope: choiceFlag(['all', 'one'], 'all'),
  app: choiceFlag(['a', 'b']),
  seconds: wholeFlag('SECONDS', 5),
};

test('flags: words of a list and whole numbers', () => {
  assert.deepEqual(readFlags('program', [], TYPED), { scope: 'all', app: undefined, seconds: 5 });
  const given = readFlags('program', ['-scope=one', '--app', 'b', '-seconds=0'], TYPED);
  assert.deepEqual(given, { scope: 'one', app: 'b', seconds: 0 });
  const refused = (argument: string, message: string): void =>
    assert.throws(() => readFlags('program', [argument], TYPED), new UsageError(message));
  refused('-app=c', 'flag -app: "c" is none of a, b');
  refused('-seconds=-1', 'flag -seconds: "-1" is no whole number');
});

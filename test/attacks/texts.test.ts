import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { renderRows } from '../../src/cli/remote/print-rows.ts';
import { addressRefusal, allowedAddresses } from '../../src/controlplane/remote/addresses.ts';
import { evaluateExpression } from '../../src/workflows/expression/evaluate.ts';

/** What a terminal would do something with, or show otherwise than it is. */
const ON_TERMINALS: Readonly<Record<string, string>> = {
  'clears the screen': '\u001b[2J',
  'sets the title': '\u001b]0;owned\u0007',
  'writes the clipboard': '\u001b]52;c;cm0gLXJm\u0007',
  'makes a link': '\u001b]8;;http://evil\u0007x\u001b]8;;\u0007',
  'goes back to the beginning of the line': 'Failed\rPassed',
  'deletes what stands before': 'Failed\b\b\b\b\b\bPassed',
  'begins with a C1 control': '\u009b2J',
  'is a C1 command to the system': '\u009d0;x\u009c',
  'has a line of its own': 'x\nrun   Passed',
  'has a tab': 'x\ty',
  'has NUL': 'x\u0000y',
  'has DEL': 'x\u007fy',
  'asks for an answer': '\u001b[6n',
  'reverses the order': 'x\u202eyz',
  'isolates an order': 'x\u2066yz\u2069',
  'is a separator of lines': 'x\u2028y',
};
const ACTS = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

describe('texts on terminals', () => {
  for (const [what, text] of Object.entries(ON_TERMINALS)) {
    for (const format of ['table', 'json', 'yaml'] as const) {
      test(`a name that ${what}, as ${format}`, () => {
        const printed = renderRows([{ name: text }], [['NAME', ({ name }) => name]], format);
        assert.doesNotMatch(printed, ACTS);
        if (format === 'table') assert.equal(printed.split('\n').length, 2);
        if (format === 'json') assert.deepEqual(JSON.parse(printed), [{ name: text }]);
        if (format === 'yaml') assert.deepEqual(parse(printed), [{ name: text }]);
      });
    }
  }
});

/** Expressions that look for what is beyond their arguments, or for ever. */
const EXPRESSIONS: readonly string[] = [
  ...[
    'constructor',
    'this',
    'globalThis',
    'process',
    'process.env',
    'require("fs")',
    'import("fs")',
    '__proto__',
    'name.constructor',
  ],
  ...[
    'name["constructor"]',
    'name.__proto__',
    'map({}, {#.constructor})',
    '"".constructor.constructor("return 1")()',
    'Function("return 1")',
  ],
  ...[
    '1..1000000000',
    'map(1..100000000, {#})',
    'repeat("x", 1000000000)',
    '"x" * 1000000000',
    '2 ** 2 ** 2 ** 2 ** 2 ** 2 + undefinedName',
  ],
  ...[
    'reduce(1..10000000, {#acc + #}, 0)',
    `${'('.repeat(20_000)}1${')'.repeat(20_000)}`,
    `${'!'.repeat(50_000)}true`,
    `[${'['.repeat(20_000)}`,
  ],
  ...[
    'env("HOME")',
    'readFile("/etc/passwd")',
    'exec("id")',
    'name.toString()',
    'valueOf()',
    'sprig.env("HOME")',
    'sprig.genPrivateKey("rsa")',
  ],
];

describe('expressions of workflows', () => {
  for (const source of EXPRESSIONS) {
    test(`reach nothing, and end: ${source.slice(0, 60)}`, () => {
      assert.throws(() => evaluateExpression(source, { name: 'x' }), /./);
    });
  }
  test('and a pattern that backtracks elsewhere is matched in linear time', () => {
    assert.equal(evaluateExpression('text matches "(a+)+$"', { text: `${'a'.repeat(50_000)}!` }), false);
  });
});

/** Addresses beyond the Internet, in the forms that programs take them in. */
const INWARD: readonly string[] = [
  ...[
    '127.0.0.1',
    '127.1.2.3',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
  ],
  ...[
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
  ],
  ...[
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
  ],
  ...[
    '2002:7f00:1::',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '3fff::1',
    '5f00::1',
    '2001:10::1',
    '2001:20::1',
  ],
];

describe('addresses that the server asks for its users', () => {
  const allowed = allowedAddresses('');
  for (const address of INWARD) {
    test(`${address} is refused`, () => assert.notEqual(addressRefusal(address, allowed), undefined));
  }
  test('8.8.8.8 is not', () => assert.equal(addressRefusal('8.8.8.8', allowed), undefined));
});

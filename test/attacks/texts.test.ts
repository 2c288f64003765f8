import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import { evaluateExpression } from '@turnsole/workflows/expression/evaluate';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { parse } from 'yaml';
import type { ChaosEngine } from '../../src/api/index.ts';
import { errorLines } from '../../src/cli/print/error.ts';
import { createProgress } from '../../src/cli/print/progress.ts';
import type { Style } from '../../src/cli/print/style.ts';
import { formatTimeline } from '../../src/cli/print/timeline.ts';
import { formatVerdictTable } from '../../src/cli/print/verdict-table.ts';
import { formatWorkflows } from '../../src/cli/print/workflow/list.ts';
import { formatSummary } from '../../src/cli/print/workflow/summary.ts';
import { formatWorkflowTable } from '../../src/cli/print/workflow/table.ts';
import { formatTree } from '../../src/cli/print/workflow/tree.ts';
import { renderRows } from '../../src/cli/remote/print-rows.ts';
import { addressRefusal, allowedAddresses } from '../../src/controlplane/remote/addresses.ts';
import { CommandError } from '../../src/services/errors.ts';
import { EXPORT_FORMATS, type ExportFormat, exportRun } from '../../src/services/report/export.ts';
import { toJUnit } from '../../src/services/report/junit.ts';
import type { RunReport } from '../../src/services/report/model.ts';
import { toAnnotations, toMarkdown } from '../../src/services/report/summary.ts';
import { type TimelinePage, timelinePage } from '../../src/services/report/timeline-page/model.ts';

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

const TIME = '2026-01-01T00:00:00Z';

/** A run of which everything that others can name or say is `text`. */
function reportOf(text: string): RunReport {
  const entry = { time: TIME, actor: text, step: text, object: text, message: text };
  const names = { name: text, namespace: text };
  const node = { id: text, name: text, displayName: text, type: 'Pod', phase: 'Failed', message: text };
  return {
    ...{ turnsole: '0', startedAt: TIME, endedAt: TIME, aborted: false },
    engines: [
      {
        ...names,
        reason: text,
        timeline: [entry],
        experiments: [
          {
            ...{ name: text, verdict: 'Fail', phase: text, failureReason: text, reason: text },
            probes: [
              { name: text, type: text, mode: text, verdict: 'Failed', description: `${text} was seen` },
            ],
            targets: [{ kind: text, name: text, status: text }],
            effects: [{ target: text, seen: false, message: text }],
            effectUnknown: [text],
          },
        ],
      },
    ],
    workflows: [
      {
        ...names,
        phase: 'Failed',
        message: text,
        progress: text,
        engines: [text],
        nodes: [node],
        timeline: [],
      },
    ],
  } as unknown as RunReport;
}

const noStyle = (_format: unknown, text: string): string => text;

/** What a run prints, in lines. */
function printedOf(text: string): readonly string[] {
  const written: string[] = [];
  const stream = new PassThrough({ encoding: 'utf8' }).on('data', (chunk: string) => written.push(chunk));
  const progress = createProgress({
    stream: stream as unknown as NodeJS.WriteStream,
    quiet: false,
    clock: systemClock,
  });
  progress.entry({ time: TIME, actor: text, step: 'Verdict', object: '', message: text });
  progress.log(text, text);
  const { engines, workflows = [] } = reportOf(text);
  const workflow = {
    metadata: { name: text, namespace: text },
    spec: { arguments: { parameters: [{ name: text, value: text }] } },
    status: { phase: 'Failed', message: text, nodes: { [text]: { ...workflows[0]?.nodes[0], id: text } } },
  } as unknown as Workflow;
  const look = {
    nowMs: Date.parse(TIME),
    style: noStyle as Style,
    withNamespace: true,
    isWide: true,
    withHeader: true,
  };
  return [
    ...written.join('').trimEnd().split('\n'),
    ...formatTimeline(engines[0]?.timeline ?? []),
    ...formatVerdictTable(engines, look.style),
    ...formatWorkflowTable(workflows, look.style),
    ...formatWorkflows([workflow], look),
    ...formatTree(workflow, look),
    ...formatSummary(workflow, look.nowMs),
    ...errorLines(new CommandError(text.replaceAll('\n', ' '), 'NOT_FOUND'), look.style),
  ].flatMap((line) => line.split('\n'));
}

describe('what runs, probes and workflows say, as it is printed', () => {
  const plain = printedOf('said');
  for (const [what, text] of Object.entries(ON_TERMINALS)) {
    test(`a text that ${what}`, () => {
      const printed = printedOf(text);
      assert.doesNotMatch(printed.join('\n'), /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      assert.equal(printed.length, plain.length, 'it has made a line of its own');
    });
  }
  test('a line that CI would take for a command of its own', () => {
    for (const command of ['::stop-commands::x', '::add-mask::x', '##[error]x', '##vso[task.setvariable]x'])
      assert.deepEqual(
        printedOf(`ended\n${command}`).filter((line) => line.trimStart().startsWith(command.slice(0, 2))),
        [],
      );
  });
});

/** What would be markup in a report, or the end of a part of one. */
const IN_REPORTS: readonly string[] = [
  ...[
    '"/><testcase name="x"/>',
    '</system-out><system-out>',
    ']]>',
    '<![CDATA[',
    '<!ENTITY x SYSTEM "file:///etc/passwd">',
  ],
  ...['&x;', "' onmouseover='x", '<img src=x onerror=alert(1)>', '</script><script>x', '<!--', '-->'],
  ...[
    '[x](javascript:alert(1))',
    '![x](http://evil/x)',
    '```\n<b>',
    '| x | y |',
    '\n# Heading',
    '\n- item',
    '<http://evil>',
  ],
  ...[
    '\n::error::x',
    '%0A::error::x',
    ',title=x::y',
    '../../etc/passwd',
    '..\\..\\x',
    'x"; filename="y.exe',
    'x\r\nset-cookie: a=b',
  ],
  ...[
    '\u0000',
    '\ud800',
    '\ufffe',
    '\u202e',
    'é😀',
    '.',
    '..',
    '',
    ' ',
    'con',
    '-rf',
    '.bashrc',
    'x'.repeat(5_000),
  ],
];

/** Elements and comments of a document, without their texts and attributes. */
function markupOf(document: string): readonly string[] {
  return [...document.matchAll(/<(\/?[\w-]+|!--|!\[|!\w+|\?)/g)].map(([mark]) => mark);
}

describe('what runs, probes and workflows say, in reports', () => {
  const plain = { junit: toJUnit(reportOf('said')), markdown: toMarkdown(reportOf('said')) };
  const exported = (format: ExportFormat, text: string) =>
    exportRun(format, { name: text, page: () => pageOf(text), report: () => reportOf(text) });
  for (const text of IN_REPORTS) {
    test(JSON.stringify(text).slice(0, 60), () => {
      const junit = toJUnit(reportOf(text));
      assert.deepEqual(markupOf(junit), markupOf(plain.junit));
      assert.doesNotMatch(junit, /&(?!(amp|lt|gt|quot|#10);)/);
      assert.doesNotMatch(junit, /(?![\t\n\r\u0080-\u009f])[\p{Cc}\ufffe\uffff]/u, 'XML cannot carry it');
      const markdown = toMarkdown(reportOf(text));
      assert.equal(markdown.split('\n').length, plain.markdown.split('\n').length, markdown);
      assert.doesNotMatch(markdown, /<\/?\w|(?<!\\)\[.*(?<!\\)\]\(/);
      for (const line of toAnnotations(reportOf(text)))
        assert.match(line, /^::error title=[^\n\r:,]*::[^\n\r]*$/);
      assert.deepEqual(markupOf(exported('html', text).body), markupOf(exported('html', 'said').body));
      for (const format of EXPORT_FORMATS) {
        const { headers } = exported(format, text);
        assert.match(
          headers['content-disposition'] ?? '',
          /^attachment; filename="\w[\w.-]{0,99}\.(html|xml|json|md|svg)"$/,
        );
      }
      assert.equal(exported('badge', text).body, exported('badge', 'said').body);
    });
  }
});

function pageOf(text: string): TimelinePage {
  const entry = { time: TIME, actor: text, step: text, object: text, message: text };
  const engine = {
    metadata: { name: text, namespace: text },
    spec: { experiments: [{ name: text }] },
    status: { timeline: [entry], experiments: [{ name: text, verdict: 'Fail', status: text, reason: text }] },
  } as unknown as ChaosEngine;
  return timelinePage({ name: text, namespace: text, engine, results: [], runId: undefined });
}

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

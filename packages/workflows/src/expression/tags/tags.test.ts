import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Budget } from '../budget.ts';
import { ExpressionError } from '../errors.ts';
import { evaluateExpression } from '../evaluate.ts';
import { namesIn } from '../expr/names-in.ts';
import { parseExpression } from '../expr/parser.ts';
import { nestNames } from './environment.ts';
import { KEEP, renderTags, type TagValues, UnresolvedTagError } from './render.ts';
import { scanTags } from './scan.ts';

const VALUES = new Map([
  ['inputs.parameters.k', 'region'],
  ['workflow.parameters.region', 'eu'],
  ['quote', 'say "hi"\n'],
  ['tag', '{{inputs.parameters.k}}'],
]);

function valuesOf(known: ReadonlyMap<string, string>): TagValues {
  return {
    lookup: (name) => known.get(name),
    evaluate: (expression) => {
      if (expression.includes('item')) return KEEP;
      return evaluateExpression(expression, nestNames(known));
    },
    isRequired: (name) => name.startsWith('steps.'),
  };
}

function render(value: unknown): unknown {
  return JSON.parse(renderTags(JSON.stringify(value), valuesOf(VALUES)));
}

describe('what tags become', () => {
  const rows: readonly [name: string, before: unknown, after: unknown][] = [
    ['a simple tag', { a: 'x {{workflow.parameters.region}} y' }, { a: 'x eu y' }],
    ['with blanks', '{{ workflow.parameters.region }}', 'eu'],
    ['a value with quotes changes no structure', { a: '{{quote}}' }, { a: 'say "hi"\n' }],
    ['an unknown name stays', '{{nope}}', '{{nope}}'],
    [
      'the inner tag first',
      '{{workflow.parameters.{{inputs.parameters.k}}}}',
      '{{workflow.parameters.region}}',
    ],
    ['a value with a tag is one for the next pass', '{{tag}}', '{{inputs.parameters.k}}'],
    ['an expression', "{{=workflow.parameters.region + '-1'}}", 'eu-1'],
    ['an expression with double quotes', '{{=workflow.parameters["region"]}}', 'eu'],
    ['a number becomes its text', '{{=1 + 2}}', '3'],
    ['a list becomes JSON', '{{=["a", 1]}}', '["a",1]'],
    ['an expression that waits stays as it is', '{{=item + "x"}}', '{{=item + "x"}}'],
    ['no tags', { a: ['b', 1, null] }, { a: ['b', 1, null] }],
    ['in keys', { '{{workflow.parameters.region}}': 1 }, { eu: 1 }],
  ];
  for (const [name, before, after] of rows) test(name, () => assert.deepEqual(render(before), after));
});

describe('what is refused', () => {
  const rows: readonly [name: string, text: unknown, message: RegExp][] = [
    ['a tag without an end', 'a {{b', /^Cannot find end tag="}}"/],
    [
      'a tag that has to have a value',
      '{{steps.a.outputs.result}}',
      /^failed to resolve {{steps\.a\.outputs\.result}}$/,
    ],
    ['an expression that cannot be read', '{{=1 +}}', /^failed to evaluate expression: unexpected token EOF/],
    ['an expression without a value', '{{=nil}}', /^failed to evaluate expression "nil"/],
  ];
  for (const [name, text, message] of rows) {
    test(name, () =>
      assert.throws(
        () => render(text),
        (error) => error instanceof ExpressionError && message.test(error.message),
      ),
    );
  }

  test('an unresolved tag has an error of its own', () => {
    assert.throws(
      () => render('{{steps.x}}'),
      (error) => error instanceof UnresolvedTagError && error.tag === 'steps.x',
    );
  });

  test('what is no JSON afterwards', () => {
    assert.throws(
      () => renderTags('{{a}}', { ...valuesOf(new Map([['a', 'x']])) }),
      /cannot finish template replacement because the result was invalid JSON/,
    );
  });
});

test('whatever values hold, the structure of the object stays', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      const after = JSON.parse(renderTags('{"a":"<{{v}}>","b":[1]}', valuesOf(new Map([['v', value]]))));
      assert.deepEqual(after, { a: `<${value}>`, b: [1] });
    }),
  );
});

test('pieces put together are the text', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('{{', '}}', '=', 'a', ' ', '{', '}')), (parts) => {
      const text = parts.join('');
      try {
        const joined = scanTags(text).map((piece) =>
          piece.kind === 'text' ? piece.text : `{{${piece.kind === 'expression' ? '=' : ''}${piece.body}}}`,
        );
        assert.equal(joined.join(''), text);
      } catch (error) {
        assert.ok(error instanceof ExpressionError);
      }
    }),
  );
});

describe('dotted names as maps', () => {
  test('each part is a level', () => {
    assert.equal(
      evaluateExpression(
        'a.b.c + a.d',
        nestNames([
          ['a.b.c', 'x'],
          ['a.d', 'y'],
        ]),
      ),
      'xy',
    );
  });
  test('the longer name wins', () => {
    const nested = nestNames([
      ['a.b.c', 'x'],
      ['a.b', 'shadowed'],
    ]);
    assert.equal(evaluateExpression('a.b.c', nested), 'x');
  });
});

describe('the names that an expression reads', () => {
  const rows: readonly [expression: string, names: readonly string[]][] = [
    ['steps.a.outputs.result == "x"', ['steps.a.outputs.result']],
    ["inputs.parameters['my-param'] + item", ['inputs.parameters.my-param', 'item']],
    ['let x = a.b; x.c + d', ['a.b', 'd']],
    ['map(list, # + y)', ['list', 'y']],
    ['sprig.trim(a?.b)', ['sprig', 'a.b']],
    ['a[b].c', ['a', 'b']],
    ['1 + 2', []],
  ];
  for (const [expression, names] of rows) {
    test(expression, () => {
      const node = parseExpression(expression, new Budget());
      assert.deepEqual([...namesIn(node)].toSorted(), [...names].toSorted());
    });
  }
});

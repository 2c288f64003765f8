import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatFieldError } from '@turnsole/kube/schema/field-error';
import type { StructuralSchema } from '@turnsole/kube/schema/schema';
import type { Json } from '../object.ts';
import { SchemaRules } from './rules.ts';
import { escapeField } from './types.ts';

const SPEC: StructuralSchema = {
  type: 'object',
  properties: {
    size: { type: 'integer' },
    limit: { type: 'integer' },
    ratio: { type: 'number' },
    name: { type: 'string' },
    when: { type: 'string', format: 'date-time' },
    wait: { type: 'string', format: 'duration' },
    port: { 'x-kubernetes-int-or-string': true },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    'max-size': { type: 'integer' },
    namespace: { type: 'string' },
    none: { type: 'string', nullable: true },
    list: { type: 'array', items: { type: 'string' } },
    numbers: { type: 'array', items: { type: 'integer' } },
    items: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', properties: { name: { type: 'string' }, n: { type: 'integer' } } },
    },
  },
};

const VALUE: Json = {
  size: 3,
  ratio: 2,
  name: 'web-1',
  when: '2030-01-01T00:00:00Z',
  wait: '90s',
  port: 80,
  labels: { app: 'web' },
  'max-size': 5,
  namespace: 'shop',
  list: ['b', 'a', 'b'],
  numbers: [1, 2, 3],
  items: [{ name: 'a', n: 1 }, { name: 'b' }],
};

function whole(rules: readonly Json[], spec = SPEC): StructuralSchema {
  return { type: 'object', properties: { spec: { ...spec, 'x-kubernetes-validations': rules } } };
}

function evaluate(rules: readonly Json[], value: Json, old?: Json): string[] {
  const compiled = new SchemaRules(whole(rules));
  assert.deepEqual(compiled.mistakes, []);
  return compiled.evaluate({ spec: value }, old && { spec: old }).map(formatFieldError);
}

describe('expressions of rules', () => {
  for (const rule of [
    'self.size > 2 && self.size <= 3',
    'self.ratio > 1.5 && self.ratio > 1 && double(self.size) > 2.5',
    'has(self.name) && !has(self.limit)',
    '!has(self.limit) || self.limit > 100',
    'self.name.startsWith("web") && self.name.size() == 5',
    "self.name.matches('^[a-z]+-[0-9]+$') && self.name.matches(r'(?i)^WEB') && '.matches('.size() == 9",
    'self.when < timestamp("2031-01-01T00:00:00Z") && self.when.getFullYear() == 2030',
    'self.wait > duration("1m")',
    'type(self.port) == int ? self.port < 100 : self.port == "http"',
    'self.labels["app"] == "web" && "app" in self.labels && self.labels.all(k, k.size() == 3)',
    'self.max__dash__size == 5 && self.__namespace__ == "shop"',
    '!has(self.none) || self.none == null',
    'self.list.exists(x, x == "a") && self.list.all(x, x in ["a", "b"])',
    'self.list.exists_one(x, x == "a") && !self.list.exists_one(x, x == "b")',
    'self.list.map(x, x + "!") == ["b!", "a!", "b!"] && self.list.filter(x, x == "b").size() == 2',
    'self.numbers.sum() == 6 && self.numbers.min() == 1 && self.numbers.max() == 3 && self.numbers.isSorted()',
    '!self.list.isSorted() && self.list.indexOf("a") == 1 && self.list.lastIndexOf("b") == 2',
    'self.items.all(i, has(i.n) ? i.n > 0 : true) && self.items[0].name == "a"',
    'self.items.all(i, self.items.exists_one(j, j.name == i.name))',
    'self.items.filter(i, i.name == "a") == [self.items[0]] && self == self && self.items[0] != self.items[1]',
    '"a,b,c".split(",").join("-") == "a-b-c" && "a,b".split(",", 1) == ["a,b"]',
    '" X ".trim().lowerAscii() == "x" && "abc".substring(1, 2) == "b" && "abab".replace("a", "", 1) == "bab"',
    '"abc".charAt(1) == "b" && "abcb".indexOf("b") == 1 && "abcb".lastIndexOf("b") == 3',
    '"a1b22".find("[0-9]+") == "1" && "a1b22".findAll("[0-9]+") == ["1", "22"]',
    'sets.contains([1, 2], [2]) && sets.equivalent([1, 1], [1]) && !sets.intersects([1], [2])',
    'quantity("1Gi").isGreaterThan(quantity("500Mi")) && isQuantity("1k") && !isQuantity("x")',
    'quantity("1500m").add(quantity("500m")) == quantity("2") && quantity("2").asInteger() == 2',
    'url("https://example.com:80/a?b=c").getHost() == "example.com:80" && isURL("/a") && !isURL("a b")',
    'url("https://example.com:80/a%20b?b=c").getEscapedPath() == "/a%20b" && url("https://x/?b=c").getQuery()["b"] == ["c"]',
    'ip("127.0.0.1").isLoopback() && ip("::1").family() == 6 && isIP("1.2.3.4") && !isIP("1.2.3")',
    'cidr("10.0.0.0/8").containsIP("10.1.2.3") && !cidr("10.0.0.0/8").containsCIDR("0.0.0.0/0") && isCIDR("::/0")',
    'cidr("192.168.0.0/24").prefixLength() == 24 && ip.isCanonical("::1") && !ip.isCanonical("0:0::1")',
    'self.?limit.orValue(7) == 7',
    '"%s: %d of %s, %.1f%%".format([self.name, self.size, self.list, 12.345]) == "web-1: 3 of [b, a, b], 12.3%"',
    '"%x %X %b %o %e".format([255, "az", 5, 8, 1500.0]) == "ff 617A 101 10 1.500000e+03"',
    'dyn(self.size) == 3.0',
  ]) {
    it(rule, () => assert.deepEqual(evaluate([{ rule }], VALUE), []));
  }

  for (const [name, escaped] of [
    ['plain', 'plain'],
    ['a-b', 'a__dash__b'],
    ['a.b/c', 'a__dot__b__slash__c'],
    ['a__b', 'a__underscores__b'],
    ['in', '__in__'],
    ['a b', undefined],
  ] as const) {
    it(`write the field ${name} as ${escaped}`, () => assert.equal(escapeField(name), escaped));
  }
});

describe('rules that do not hold', () => {
  const never = { rule: 'self.size > 3' };
  const failures: readonly (readonly [string, Json, string])[] = [
    ['say themselves', never, 'spec: Invalid value: failed rule: self.size > 3'],
    ['say their message', { ...never, message: ' too small ' }, 'spec: Invalid value: too small'],
    [
      'say what their expression makes',
      { ...never, messageExpression: '"size is " + string(self.size)', message: 'too small' },
      'spec: Invalid value: size is 3',
    ],
    [
      'fall back to their message',
      { ...never, messageExpression: 'self.labels["none"]', message: 'too small' },
      'spec: Invalid value: too small',
    ],
    [
      'have a reason and a field',
      { ...never, reason: 'FieldValueForbidden', fieldPath: '.size', message: 'no' },
      'spec.size: Forbidden: no',
    ],
    [
      'can be a missing field',
      { ...never, reason: 'FieldValueRequired', message: 'm' },
      'spec: Required value: m',
    ],
    [
      'can be without an answer',
      { rule: 'self.limit > 1' },
      'spec: Invalid value: No such key: limit evaluating rule: self.limit > 1',
    ],
  ];
  for (const [name, rule, message] of failures) {
    it(name, () => assert.deepEqual(evaluate([rule], VALUE), [message]));
  }

  it('are named one by one, where they stand', () => {
    const item = { 'x-kubernetes-validations': [{ rule: 'self.n < 2', message: 'too many' }] };
    const schema: StructuralSchema = {
      type: 'object',
      properties: {
        items: {
          type: 'array',
          items: { type: 'object', properties: { n: { type: 'integer' } }, ...item },
        },
        map: {
          type: 'object',
          additionalProperties: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self != "x"' }] },
        },
      },
    };
    const errors = new SchemaRules(schema).evaluate(
      { items: [{ n: 1 }, { n: 2 }, { n: 3 }], map: { a: 'x' } },
      undefined,
    );
    assert.deepEqual(errors.map(formatFieldError), [
      'items[1]: Invalid value: too many',
      'items[2]: Invalid value: too many',
      'map.a: Invalid value: failed rule: self != "x"',
    ]);
  });

  it('are cut off when they take too long', () => {
    const numbers = Array.from({ length: 3_000 }, (_, index) => index);
    const rule = 'self.numbers.all(a, self.numbers.all(b, self.numbers.all(c, a + b + c >= 0)))';
    const [message] = evaluate([{ rule }], { numbers });
    assert.match(message ?? '', /its validation rules take too long: more than \d+ ms$/);
  });
});

describe('rules of changes', () => {
  const fixed = { rule: 'self.name == oldSelf.name', message: 'name is fixed' };

  it('are asked about updates only', () => {
    assert.deepEqual(evaluate([fixed], { name: 'b' }), []);
    assert.deepEqual(evaluate([fixed], { name: 'a', size: 1 }, { name: 'a' }), []);
    assert.deepEqual(evaluate([fixed], { name: 'b' }, { name: 'a' }), ['spec: Invalid value: name is fixed']);
  });

  it('are asked about creations as well where the old value is optional', () => {
    const rule = {
      rule: 'oldSelf.hasValue() ? self.size >= oldSelf.value().size : self.size == 0',
      optionalOldSelf: true,
    };
    assert.deepEqual(evaluate([rule], { size: 0 }), []);
    assert.equal(evaluate([rule], { size: 1 }).length, 1);
    assert.deepEqual(evaluate([rule], { size: 2 }, { size: 1 }), []);
    assert.equal(evaluate([rule], { size: 0 }, { size: 1 }).length, 1);
  });

  it('compare items of lists by their keys', () => {
    const rules = [{ rule: 'self.n >= oldSelf.n', message: 'only up' }];
    const items = SPEC.properties?.items;
    const schema: StructuralSchema = {
      type: 'object',
      properties: { items: { ...items, items: { ...items?.items, 'x-kubernetes-validations': rules } } },
    };
    const compiled = new SchemaRules(schema);
    assert.deepEqual(compiled.mistakes, []);
    const old = {
      items: [
        { name: 'a', n: 1 },
        { name: 'b', n: 5 },
      ],
    };
    const errors = compiled.evaluate(
      {
        items: [
          { name: 'b', n: 4 },
          { name: 'a', n: 2 },
          { name: 'c', n: 0 },
        ],
      },
      old,
    );
    assert.deepEqual(errors.map(formatFieldError), ['items[0]: Invalid value: only up']);
  });

  it('and others leave what is unchanged alone', () => {
    assert.deepEqual(evaluate([{ rule: 'self.size > 3' }], { size: 1 }, { size: 1 }), []);
    assert.equal(evaluate([{ rule: 'self.size > 3' }], { size: 2 }, { size: 1 }).length, 1);
  });
});

describe('rules that are none', () => {
  const mistakes: readonly (readonly [string, Json, string, RegExp])[] = [
    ['nothing', { rule: ' ' }, 'rule', /^rule is not specified$/],
    ['an unknown field', { rule: 'self.nope > 1' }, 'rule', /^compilation failed: ERROR: .*nope/],
    ['no end', { rule: 'self.size >' }, 'rule', /^compilation failed/],
    [
      'types that do not go together',
      { rule: 'self.size == "a"' },
      'rule',
      /no such overload: int == string/,
    ],
    ['an unknown function', { rule: 'self.name.shout() == "A"' }, 'rule', /^compilation failed/],
    ['a number', { rule: 'self.size + 1' }, 'rule', /^cel expression must evaluate to a bool$/],
    ['a field that is not described', { rule: 'self.free.x == 1' }, 'rule', /^compilation failed/],
    ['two lines', { rule: 'true', message: 'a\nb' }, 'message', /must not contain line breaks/],
    [
      'a message that is none',
      { rule: 'true', messageExpression: 'self.size' },
      'messageExpression',
      /must evaluate to a string/,
    ],
    ['a path that leads nowhere', { rule: 'true', fieldPath: '.nope' }, 'fieldPath', /must be a valid path/],
  ];
  for (const [name, rule, field, message] of mistakes) {
    it(`with ${name}`, () => {
      const [mistake, ...more] = new SchemaRules(whole([rule])).mistakes;
      assert.equal(mistake?.path, `properties[spec].x-kubernetes-validations[0].${field}`);
      assert.match(mistake?.detail ?? '', message);
      assert.deepEqual(more, []);
    });
  }

  it('with the old value of something that has no name', () => {
    const items = { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > oldSelf' }] };
    const { mistakes } = new SchemaRules({ type: 'array', items });
    assert.match(mistakes[0]?.detail ?? '', /^oldSelf cannot be used on the uncorrelatable portion/);
  });
});

import type { Budget } from '../budget.ts';
import { ExpressionBudgetError, ExpressionError, type Span } from '../errors.ts';
import { int } from '../values.ts';
import { readTokens, type Token } from './lexer.ts';
import type { Node } from './nodes.ts';
import {
  BINARY_PRECEDENCE,
  COMPARISONS,
  NEGATABLE,
  RIGHT_ASSOCIATIVE,
  UNARY_PRECEDENCE,
} from './operators.ts';
import { PREDICATE_FUNCTIONS } from './predicates.ts';

/**
 * Reads an expression of expr-lang 1.17.
 *
 * @param isBuiltin whether a name before `(` is a function of the language, and none of the environment
 * @throws ExpressionError with the place of what does not fit
 */
export function parseExpression(
  source: string,
  budget: Budget,
  isBuiltin: (name: string) => boolean = () => false,
): Node {
  const { sourceLength } = budget.limits;
  if (source.length > sourceLength) throw new ExpressionBudgetError('characters of source', sourceLength);
  return new Parser(source, budget, isBuiltin).parse();
}

const MAX_INT = 2n ** 63n - 1n;

/** Recursive descent; binary operators climb over the table of their precedence. Each method begins with its grammar. */
class Parser {
  readonly #source: string;
  readonly #budget: Budget;
  readonly #isBuiltin: (name: string) => boolean;
  readonly #tokens: readonly Token[];
  #at = 0;
  #nodes = 0;
  #depth = 0;
  /** Above 0 inside a predicate, where `#` and a leading `.` mean the element. */
  #predicates = 0;

  constructor(source: string, budget: Budget, isBuiltin: (name: string) => boolean) {
    this.#source = source;
    this.#budget = budget;
    this.#isBuiltin = isBuiltin;
    this.#tokens = readTokens(source);
  }

  parse(): Node {
    const node = this.#sequence();
    if (this.#token.kind !== 'end') this.#unexpected();
    return node;
  }

  get #token(): Token {
    return this.#tokens[this.#at] ?? END;
  }

  #take(): Token {
    const token = this.#token;
    if (token.kind !== 'end') this.#at++;
    return token;
  }

  #is(kind: Token['kind'], value: string): boolean {
    return this.#token.kind === kind && this.#token.value === value;
  }

  #skip(kind: Token['kind'], value: string): boolean {
    const isThere = this.#is(kind, value);
    if (isThere) this.#at++;
    return isThere;
  }

  #expect(kind: Token['kind'], value?: string): Token {
    if (this.#token.kind !== kind || (value !== undefined && this.#token.value !== value)) this.#unexpected();
    return this.#take();
  }

  #unexpected(token = this.#token): never {
    return this.#fail(`unexpected token ${nameOf(token)}`, token.span);
  }

  #fail(problem: string, span: Span = this.#token.span): never {
    throw new ExpressionError(problem, this.#source, span);
  }

  #node<N extends Node>(node: N): N {
    this.#nodes++;
    const { nodes } = this.#budget.limits;
    if (this.#nodes > nodes) throw new ExpressionBudgetError('nodes', nodes, this.#source, node.span);
    return node;
  }

  /** Every way into itself leads through here, so the stack of the process cannot be used up. */
  #deeper<T>(parse: () => T): T {
    const { depth } = this.#budget.limits;
    if (++this.#depth > depth)
      throw new ExpressionBudgetError('levels', depth, this.#source, this.#token.span);
    const result = parse();
    this.#depth--;
    return result;
  }

  /** sequence := expression { ";" expression } [ ";" ] */
  #sequence(): Node {
    const first = this.#expression(0);
    const steps = [first];
    while (this.#skip('operator', ';') && this.#token.kind !== 'end') steps.push(this.#expression(0));
    return steps.length === 1 ? first : this.#node({ kind: 'sequence', steps, span: first.span });
  }

  /** expression := "let" … | "if" … | operand { operator operand } [ "?" … ], operators from `least` on */
  #expression(least: number): Node {
    return this.#deeper(() => {
      if (least === 0 && this.#is('operator', 'let')) return this.#let();
      if (least === 0 && this.#is('operator', 'if')) return this.#if();
      const node = this.#binary(this.#operand(), least);
      return least === 0 ? this.#ternary(node) : node;
    });
  }

  /** "let" name "=" expression ";" sequence */
  #let(): Node {
    this.#take();
    const { value: name, span } = this.#expect('name');
    this.#expect('operator', '=');
    const value = this.#expression(0);
    this.#expect('operator', ';');
    return this.#node({ kind: 'let', name, value, body: this.#sequence(), span });
  }

  /** "if" expression "{" sequence "}" "else" "{" sequence "}" */
  #if(): Node {
    const { span } = this.#take();
    const condition = this.#expression(0);
    const yes = this.#block();
    this.#expect('operator', 'else');
    return this.#node({ kind: 'condition', condition, yes, no: this.#block(), span });
  }

  #block(): Node {
    this.#expect('bracket', '{');
    const body = this.#sequence();
    this.#expect('bracket', '}');
    return body;
  }

  #ternary(condition: Node): Node {
    let node = condition;
    while (this.#is('operator', '?')) {
      const { span } = this.#take();
      // `a ?: b` gives a itself when it is true.
      const yes = this.#is('operator', ':') ? node : this.#expression(0);
      this.#expect('operator', ':');
      node = this.#node({ kind: 'condition', condition: node, yes, no: this.#expression(0), span });
    }
    return node;
  }

  #binary(first: Node, least: number): Node {
    let left = first;
    let before = '';
    for (;;) {
      const isNegated = this.#is('operator', 'not');
      const token = isNegated ? (this.#tokens[this.#at + 1] ?? END) : this.#token;
      if (isNegated && !NEGATABLE.has(token.value)) this.#unexpected(token);
      const precedence = token.kind === 'operator' ? BINARY_PRECEDENCE.get(token.value) : undefined;
      if (precedence === undefined || precedence < least) return left;
      this.#at += isNegated ? 2 : 1;
      if (before === '??' && token.value !== '??' && token.value !== '|') {
        this.#fail(
          `Operator (${token.value}) and coalesce expressions (??) cannot be mixed. Wrap either by parentheses.`,
          token.span,
        );
      }
      left = this.#joined(left, token, precedence, isNegated);
      before = token.value;
    }
  }

  #joined(left: Node, token: Token, precedence: number, isNegated: boolean): Node {
    const { value: operator, span } = token;
    if (operator === '|') return this.#postfix(this.#callOf(this.#expect('name'), [left]));
    if (COMPARISONS.has(operator)) return this.#comparison(left, token, precedence);
    const right = this.#expression(RIGHT_ASSOCIATIVE.has(operator) ? precedence : precedence + 1);
    const node = this.#node({ kind: 'binary', operator, left, right, span });
    return isNegated ? this.#node({ kind: 'unary', operator: 'not', operand: node, span }) : node;
  }

  /** a < b < c is (a < b) && (b < c) */
  #comparison(first: Node, token: Token, precedence: number): Node {
    let [left, at] = [first, token];
    let whole: Node | undefined;
    for (;;) {
      const right = this.#expression(precedence + 1);
      const one = this.#node<Node>({ kind: 'binary', operator: at.value, left, right, span: at.span });
      whole =
        whole === undefined
          ? one
          : this.#node({ kind: 'binary', operator: '&&', left: whole, right: one, span: at.span });
      if (this.#token.kind !== 'operator' || !COMPARISONS.has(this.#token.value)) return whole;
      left = right;
      at = this.#take();
    }
  }

  /** operand := unary operand | "(" sequence ")" | pointer | primary, each with what follows it */
  #operand(): Node {
    const token = this.#token;
    if (token.kind === 'operator') {
      const precedence = UNARY_PRECEDENCE.get(token.value);
      if (precedence !== undefined) {
        this.#take();
        const operand = this.#expression(precedence);
        return this.#postfix(this.#node({ kind: 'unary', operator: token.value, operand, span: token.span }));
      }
      if (this.#predicates > 0 && (token.value === '#' || token.value === '.'))
        return this.#postfix(this.#pointer());
      if (this.#skip('operator', '::')) return this.#postfix(this.#callOf(this.#expect('name'), []));
    }
    if (this.#skip('bracket', '(')) {
      const inner = this.#sequence();
      this.#expect('bracket', ')');
      return this.#postfix(inner);
    }
    return this.#postfix(this.#primary());
  }

  #pointer(): Node {
    const { span } = this.#token;
    const isMark = this.#skip('operator', '#');
    const follows = isMark && this.#token.kind === 'name' && this.#token.span.from === span.to;
    return this.#node({ kind: 'pointer', name: follows ? this.#take().value : '', span });
  }

  #primary(): Node {
    const token = this.#token;
    const { span } = token;
    if (token.kind === 'text') {
      this.#take();
      return this.#node({ kind: 'literal', value: token.value, span });
    }
    if (token.kind === 'number') return this.#number();
    if (token.kind === 'name') {
      this.#take();
      if (Object.hasOwn(CONSTANTS, token.value)) {
        return this.#node({ kind: 'literal', value: CONSTANTS[token.value] ?? null, span });
      }
      if (this.#is('bracket', '(')) return this.#callOf(token, []);
      return this.#node({ kind: 'name', name: token.value, span });
    }
    if (this.#is('bracket', '[')) return this.#list();
    if (this.#is('bracket', '{')) return this.#map();
    return token.kind === 'end' ? this.#fail('unexpected token EOF') : this.#unexpected();
  }

  #number(): Node {
    const { value, span } = this.#take();
    const text = value.replaceAll('_', '').toLowerCase();
    if (!/^0[xob]/.test(text) && /[.e]/.test(text)) {
      const float = Number(text);
      if (!Number.isFinite(float)) this.#fail(`invalid float literal: ${value}`, span);
      return this.#node({ kind: 'literal', value: float, span });
    }
    const integer = /^0[xob]$/.test(text) ? undefined : BigInt(text);
    if (integer === undefined || integer > MAX_INT) this.#fail(`invalid integer literal: ${value}`, span);
    return this.#node({ kind: 'literal', value: int(integer ?? 0n), span });
  }

  /** list := "[" [ expression { "," expression } [ "," ] ] "]" */
  #list(): Node {
    const { span } = this.#take();
    return this.#node({ kind: 'list', items: this.#listed(']'), span });
  }

  #listed(close: string): Node[] {
    const items: Node[] = [];
    while (!this.#skip('bracket', close)) {
      if (items.length > 0) {
        this.#expect('operator', ',');
        if (this.#skip('bracket', close)) break;
      }
      items.push(this.#expression(0));
    }
    return items;
  }

  /** map := "{" [ key ":" expression { "," key ":" expression } [ "," ] ] "}" */
  #map(): Node {
    const { span } = this.#take();
    const pairs: { key: Node; value: Node }[] = [];
    while (!this.#skip('bracket', '}')) {
      if (pairs.length > 0) {
        this.#expect('operator', ',');
        if (this.#skip('bracket', '}')) break;
      }
      const key = this.#key();
      this.#expect('operator', ':');
      pairs.push({ key, value: this.#expression(0) });
    }
    return this.#node({ kind: 'map', pairs, span });
  }

  /** key := name | text | number | "(" expression ")" */
  #key(): Node {
    const { kind, value, span } = this.#token;
    if (kind === 'name' || kind === 'text' || kind === 'number') {
      this.#take();
      return this.#node({ kind: 'literal', value, span });
    }
    if (this.#is('bracket', '(')) return this.#expression(0);
    return this.#fail(
      'a map key must be a quoted string, a number, a identifier, or an expression enclosed in parentheses ' +
        `(unexpected token ${nameOf(this.#token)})`,
    );
  }

  /** A call of a function whose name is read; `given` is what a pipe brings. */
  #callOf({ value: name, span }: Token, given: readonly Node[]): Node {
    if (Object.hasOwn(PREDICATE_FUNCTIONS, name)) return this.#predicateCall(name, given, span);
    this.#expect('bracket', '(');
    const args = [...given, ...this.#listed(')')];
    if (this.#isBuiltin(name)) return this.#node({ kind: 'builtin', name, args, span });
    return this.#node({ kind: 'call', callee: this.#node({ kind: 'name', name, span }), args, span });
  }

  #predicateCall(name: string, given: readonly Node[], span: Span): Node {
    const shape = PREDICATE_FUNCTIONS[name] ?? [];
    this.#expect('bracket', '(');
    const args = [...given];
    for (const [index, parameter] of shape.entries()) {
      if (index < given.length) continue;
      if (this.#is('bracket', ')')) {
        if (parameter.endsWith('?')) break;
        this.#fail(
          `expected at least ${shape.filter((one) => !one.endsWith('?')).length - given.length} arguments`,
        );
      }
      if (index > given.length) this.#expect('operator', ',');
      args.push(parameter.startsWith('predicate') ? this.#predicate() : this.#expression(0));
    }
    this.#skip('operator', ',');
    this.#expect('bracket', ')');
    return this.#node({ kind: 'builtin', name, args, span });
  }

  /** predicate := "{" sequence "}" | expression */
  #predicate(): Node {
    const { span } = this.#token;
    this.#predicates++;
    let body: Node;
    if (this.#is('bracket', '{')) {
      body = this.#block();
    } else {
      body = this.#expression(0);
      if (this.#is('operator', ';')) this.#fail('wrap predicate with brackets { and }');
    }
    this.#predicates--;
    return this.#node({ kind: 'predicate', body, span });
  }

  /** postfix := { ( "." | "?." ) name [ arguments ] | [ "?." ] "[" expression "]" | "[" [ expression ] ":" [ expression ] "]" } */
  #postfix(first: Node): Node {
    let node = first;
    let isChain = false;
    for (;;) {
      const { span } = this.#token;
      const optional = this.#is('operator', '?.');
      if (optional) isChain = true;
      if (optional && this.#tokens[this.#at + 1]?.value === '[') {
        this.#take();
        node = this.#index(node, true);
      } else if (optional || this.#is('operator', '.')) {
        this.#take();
        node = this.#field(node, optional);
      } else if (this.#is('bracket', '[')) {
        node = this.#index(node, false);
      } else {
        return isChain ? this.#node({ kind: 'chain', body: node, span }) : node;
      }
    }
  }

  #field(object: Node, optional: boolean): Node {
    const token = this.#take();
    // Words such as `in` may be names of fields.
    if (token.kind !== 'name' && !/^[a-zA-Z]+$/.test(token.value)) this.#fail('expected name', token.span);
    const property = this.#node<Node>({ kind: 'literal', value: token.value, span: token.span });
    const member = this.#node<Node>({ kind: 'member', object, property, optional, span: token.span });
    if (!this.#skip('bracket', '(')) return member;
    return this.#node({ kind: 'call', callee: member, args: this.#listed(')'), span: token.span });
  }

  #index(object: Node, optional: boolean): Node {
    const { span } = this.#expect('bracket', '[');
    const from = this.#is('operator', ':') ? undefined : this.#expression(0);
    if (this.#skip('operator', ':')) {
      const to = this.#is('bracket', ']') ? undefined : this.#expression(0);
      this.#expect('bracket', ']');
      return this.#node({ kind: 'slice', object, from, to, span });
    }
    this.#expect('bracket', ']');
    // Without a colon there was an index.
    return this.#node({ kind: 'member', object, property: from as Node, optional, span });
  }
}

const END: Token = { kind: 'end', value: '', span: { from: 0, to: 0 } };

const CONSTANTS: Readonly<Record<string, true | false | null>> = { true: true, false: false, nil: null };

const KIND_NAMES = {
  name: 'Identifier',
  number: 'Number',
  text: 'String',
  operator: 'Operator',
  bracket: 'Bracket',
  end: 'EOF',
} as const;

/** `Operator("+")`, the form in which expr names words. */
function nameOf({ kind, value }: Token): string {
  return kind === 'end' ? 'EOF' : `${KIND_NAMES[kind]}(${JSON.stringify(value)})`;
}

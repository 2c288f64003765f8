import { ExpressionError, type Span } from '../errors.ts';
import { METHODS } from '../functions/dates.ts';
import { type FunctionContext, type FunctionRow, type FunctionTable, sizeOf } from '../functions/row.ts';
import {
  Duration,
  entryOf,
  FunctionValue,
  Instant,
  int,
  isList,
  isMap,
  isNumber,
  newMap,
  printValue,
  typeName,
  type Value,
  type ValueMap,
} from '../values.ts';
import type { Node, NodeOf } from './nodes.ts';
import { operate } from './operate.ts';
import { applyPredicate, type Predicate } from './predicate-functions.ts';

/** A name that the environment does not have. */
export class UnknownNameError extends ExpressionError {
  override readonly name = 'UnknownNameError' as 'ExpressionError';
  readonly unknown: string;

  constructor(unknown: string, source: string, span: Span) {
    super(`unknown name ${unknown}`, source, span);
    this.unknown = unknown;
  }
}

/** The environment and limits of an evaluation. */
export interface Evaluation {
  readonly source: string;
  /** Names and what they stand for. */
  readonly environment: ValueMap;
  /** Functions that are called by name; a {@link FunctionValue} of the environment finds its row here as well. */
  readonly functions: FunctionTable;
  readonly context: FunctionContext;
}

/** What `let` and a predicate add to the names. */
interface Scope {
  readonly variables: ReadonlyMap<string, Value>;
  /** Inside a predicate: the element (`''`), `acc` and `index`. */
  readonly pointers: ReadonlyMap<string, Value>;
}

/** Evaluates a syntax tree. Stores nothing on it. @throws ExpressionError with the place */
export function evaluate(node: Node, evaluation: Evaluation): Value {
  return new Evaluator(evaluation).value(node, { variables: new Map(), pointers: new Map() });
}

/** Thrown inside a chain when the value before `?.` is missing; never leaves it. */
const NOTHING = Symbol('nothing before ?.');

class Evaluator {
  readonly #evaluation: Evaluation;

  constructor(evaluation: Evaluation) {
    this.#evaluation = evaluation;
  }

  value(node: Node, scope: Scope): Value {
    const { context, source } = this.#evaluation;
    context.budget.chargeSteps(1, source, node.span);
    switch (node.kind) {
      case 'literal':
        return node.value;
      case 'name':
        return this.#name(node, scope);
      case 'pointer':
        return this.#pointer(node, scope);
      case 'unary':
        return this.#unary(node, scope);
      case 'binary':
        return this.#binary(node, scope);
      case 'condition':
        return this.value(this.#isTrue(node.condition, scope) ? node.yes : node.no, scope);
      case 'member':
        return this.#member(node, scope);
      case 'slice':
        return this.#slice(node, scope);
      case 'chain':
        return this.#chain(node, scope);
      case 'call':
        return this.#call(node, scope);
      case 'builtin':
        return this.#builtin(node, scope);
      case 'predicate':
        return this.#fail(node, 'a predicate stands only in a function that takes one');
      case 'list':
        return node.items.map((item) => this.value(item, scope));
      case 'map':
        return newMap(node.pairs.map(({ key, value }) => [this.#key(key, scope), this.value(value, scope)]));
      case 'let': {
        this.#refuseTaken(node, scope);
        const variables = new Map(scope.variables).set(node.name, this.value(node.value, scope));
        return this.value(node.body, { ...scope, variables });
      }
      case 'sequence':
        return node.steps.reduce<Value>((_, step) => this.value(step, scope), null);
    }
  }

  #fail(node: { readonly span: Span }, problem: string): never {
    throw new ExpressionError(problem, this.#evaluation.source, node.span);
  }

  /** Runs what knows no places, and adds the place to its error. */
  #at<T>(node: { readonly span: Span }, run: () => T): T {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof ExpressionError) || error.span !== undefined) throw error;
      throw new ExpressionError(error.problem, this.#evaluation.source, node.span, { cause: error });
    }
  }

  #name(node: NodeOf<'name'>, scope: Scope): Value {
    const { environment, functions, source } = this.#evaluation;
    if (node.name === '$env') return environment;
    const found = scope.variables.get(node.name) ?? entryOf(environment, node.name);
    if (found !== undefined) return found;
    if (scope.variables.has(node.name)) return null;
    if (Object.hasOwn(functions, node.name)) return new FunctionValue(node.name);
    throw new UnknownNameError(node.name, source, node.span);
  }

  /** A name of the environment, of a function or of an outer `let` cannot be given another meaning. */
  #refuseTaken(node: NodeOf<'let'>, { variables }: Scope): void {
    const { environment, functions } = this.#evaluation;
    if (Object.hasOwn(functions, node.name)) this.#fail(node, `cannot redeclare builtin ${node.name}`);
    if (variables.has(node.name)) this.#fail(node, `cannot redeclare variable ${node.name}`);
    if (Object.hasOwn(environment, node.name)) this.#fail(node, `cannot redeclare ${node.name}`);
  }

  #pointer({ name, span }: NodeOf<'pointer'>, { pointers }: Scope): Value {
    const found = pointers.get(name);
    if (found === undefined) return this.#fail({ span }, `unknown pointer #${name}`);
    return found;
  }

  #isTrue(node: Node, scope: Scope): boolean {
    const value = this.value(node, scope);
    if (typeof value === 'boolean') return value;
    return this.#fail(node, `non-bool expression (type ${typeName(value)}) used as condition`);
  }

  #unary(node: NodeOf<'unary'>, scope: Scope): Value {
    const value = this.value(node.operand, scope);
    if (node.operator === 'not' || node.operator === '!') {
      if (typeof value === 'boolean') return !value;
    } else if (isNumber(value)) {
      if (node.operator === '+') return value;
      return typeof value === 'bigint' ? int(-value) : -value;
    } else if (value instanceof Duration) {
      return node.operator === '+' ? value : new Duration(-value.ms);
    }
    return this.#fail(node, `invalid operation: ${node.operator} (mismatched type ${typeName(value)})`);
  }

  #binary(node: NodeOf<'binary'>, scope: Scope): Value {
    const { operator } = node;
    const left = this.value(node.left, scope);
    if (operator === '??') return left ?? this.value(node.right, scope);
    if (operator === 'and' || operator === '&&' || operator === 'or' || operator === '||') {
      const decides = operator === 'or' || operator === '||';
      if (typeof left === 'boolean' && left === decides) return left;
      const right = this.value(node.right, scope);
      if (typeof left === 'boolean' && typeof right === 'boolean') return right;
      const types = `mismatched types ${typeName(left)} and ${typeName(right)}`;
      return this.#fail(node, `invalid operation: ${operator} (${types})`);
    }
    const right = this.value(node.right, scope);
    if (operator === '==' || operator === '!=') this.#refuseMismatch(node, left, right);
    this.#chargeOperation(node, left, right);
    return this.#at(node, () => operate(operator, left, right));
  }

  /**
   * Two sides whose types are known before anything is evaluated, and differ, are a mistake (`"5" == 5`); values out of maps and
   * lists are just not equal.
   */
  #refuseMismatch(node: NodeOf<'binary'>, left: Value, right: Value): void {
    const isKnown = ({ kind }: Node): boolean => kind === 'literal' || kind === 'name';
    if (!isKnown(node.left) || !isKnown(node.right) || left === null || right === null) return;
    if (typeName(left) === typeName(right) || (isNumber(left) && isNumber(right))) return;
    const types = `mismatched types ${typeName(left)} and ${typeName(right)}`;
    this.#fail(node, `invalid operation: ${node.operator} (${types})`);
  }

  /** Charges the budget for the values that an operation makes or reads, before it is done. */
  #chargeOperation({ operator, span }: NodeOf<'binary'>, left: Value, right: Value): void {
    const { context, source } = this.#evaluation;
    if (operator === '..' && typeof left === 'bigint' && typeof right === 'bigint') {
      context.budget.chargeSize(Math.max(0, Number(right - left) + 1), source, span);
    } else if (operator === '+' && typeof left === 'string' && typeof right === 'string') {
      context.budget.chargeSize(left.length + right.length, source, span);
    } else if (isList(left) || isList(right) || isMap(left) || isMap(right)) {
      context.budget.chargeSteps(
        Math.min(sizeOf(left), sizeOf(right)) + (isList(right) ? right.length : 0),
        source,
        span,
      );
    }
  }

  #member(node: NodeOf<'member'>, scope: Scope): Value {
    const object = this.value(node.object, scope);
    if (object === null && node.optional) throw NOTHING;
    const key = this.value(node.property, scope);
    return this.#memberOf(node.property, object, key);
  }

  #memberOf(node: { readonly span: Span }, object: Value, key: Value): Value {
    if (isMap(object)) {
      if (typeof key !== 'string')
        return this.#fail(node, `cannot use ${typeName(key)} to get an element from map[string]interface {}`);
      return entryOf(object, key) ?? null;
    }
    if (isList(object)) {
      if (typeof key !== 'bigint') {
        return this.#fail(
          node,
          `array elements can only be selected using an integer (got ${typeName(key)})`,
        );
      }
      const found = object.at(Number(key));
      if (found !== undefined) return found;
      return this.#fail(node, `index out of range: ${key} (array length is ${object.length})`);
    }
    if (object === null) return this.#fail(node, `cannot fetch ${printValue(key)} from <nil>`);
    return this.#fail(node, `type ${typeName(object)} has no field ${printValue(key)}`);
  }

  #slice(node: NodeOf<'slice'>, scope: Scope): Value {
    const object = this.value(node.object, scope);
    const bound = (edge: Node | undefined): number | undefined => {
      if (edge === undefined) return undefined;
      const value = this.value(edge, scope);
      return typeof value === 'bigint'
        ? Number(value)
        : this.#fail(edge, `non-integer slice index ${typeName(value)}`);
    };
    const [from, to] = [bound(node.from), bound(node.to)];
    if (typeof object === 'string') return Buffer.from(object).subarray(from, to).toString();
    if (isList(object)) return object.slice(from, to);
    return this.#fail(node, `cannot slice ${typeName(object)}`);
  }

  #chain(node: NodeOf<'chain'>, scope: Scope): Value {
    try {
      return this.value(node.body, scope);
    } catch (error) {
      if (error === NOTHING) return null;
      throw error;
    }
  }

  #key(node: Node, scope: Scope): string {
    const key = this.value(node, scope);
    return typeof key === 'string' ? key : this.#fail(node, `cannot use ${typeName(key)} as a key of a map`);
  }

  #call(node: NodeOf<'call'>, scope: Scope): Value {
    const { callee } = node;
    if (callee.kind === 'member') {
      const object = this.value(callee.object, scope);
      if (object === null && callee.optional) throw NOTHING;
      const key = this.value(callee.property, scope);
      const methods =
        object instanceof Instant
          ? METHODS.Instant
          : object instanceof Duration
            ? METHODS.Duration
            : undefined;
      const name = printValue(key);
      if (methods !== undefined && Object.hasOwn(methods, name)) {
        return this.#run(node, name, methods[name] as FunctionRow, [object, ...this.#args(node.args, scope)]);
      }
      return this.#callValue(node, this.#memberOf(callee.property, object, key), scope);
    }
    return this.#callValue(node, this.value(callee, scope), scope);
  }

  #callValue(node: NodeOf<'call'>, callee: Value, scope: Scope): Value {
    if (!(callee instanceof FunctionValue)) return this.#fail(node, `${typeName(callee)} is not callable`);
    const row = entryRow(this.#evaluation.functions, callee.name);
    if (row === undefined) return this.#fail(node, `unknown function ${callee.name}`);
    return this.#run(node, callee.name, row, this.#args(node.args, scope));
  }

  #args(nodes: readonly Node[], scope: Scope): Value[] {
    return nodes.map((arg) => this.value(arg, scope));
  }

  #builtin(node: NodeOf<'builtin'>, scope: Scope): Value {
    const [first, second] = node.args;
    if (first !== undefined && (second?.kind === 'predicate' || isPredicateOnly(node.name))) {
      return this.#predicate(node, first, scope);
    }
    const row = entryRow(this.#evaluation.functions, node.name);
    if (row === undefined) return this.#fail(node, `unknown function ${node.name}`);
    return this.#run(node, node.name, row, this.#args(node.args, scope));
  }

  #predicate(node: NodeOf<'builtin'>, listNode: Node, scope: Scope): Value {
    const [, body, extra] = node.args;
    const list = this.value(listNode, scope);
    if (!isList(list))
      return this.#fail(listNode, `builtin ${node.name} takes only array (got ${typeName(list)})`);
    const { context, source } = this.#evaluation;
    context.budget.chargeSize(list.length, source, node.span);
    const predicate: Predicate | undefined =
      body?.kind === 'predicate'
        ? (item, index, accumulator) => {
            const pointers = new Map<string, Value>([
              ['', item],
              ['index', int(index)],
            ]);
            if (accumulator !== undefined) pointers.set('acc', accumulator);
            return this.value(body.body, { ...scope, pointers });
          }
        : undefined;
    const more = extra === undefined ? undefined : this.value(extra, scope);
    return this.#at(body?.kind === 'predicate' ? body.body : node, () =>
      applyPredicate(node.name, list, predicate, more),
    );
  }

  #run(node: { readonly span: Span }, name: string, row: FunctionRow, args: readonly Value[]): Value {
    const { context, source } = this.#evaluation;
    const [fewest, most] = row.arity;
    if (args.length < fewest || args.length > most) {
      const expected =
        fewest === most
          ? String(fewest)
          : `${args.length < fewest ? 'at least' : 'at most'} ${args.length < fewest ? fewest : most}`;
      return this.#fail(
        node,
        `invalid number of arguments to ${name} (expected ${expected}, got ${args.length})`,
      );
    }
    return this.#at(node, () => {
      const size = row.size?.(args) ?? args.reduce((sum: number, one) => sum + sizeOf(one), 1);
      context.budget.chargeSize(size, source, node.span);
      return row.run(args, context);
    });
  }
}

function entryRow(table: FunctionTable, name: string): FunctionRow | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** `count` and `sum` also take a list alone. */
function isPredicateOnly(name: string): boolean {
  return name === 'count' || name === 'sum';
}

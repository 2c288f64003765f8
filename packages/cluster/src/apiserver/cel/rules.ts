/**
 * Rules of custom resources: `x-kubernetes-validations` of a schema, compiled once and evaluated with each write. Source:
 * kubernetes.io, Extend the Kubernetes API with CustomResourceDefinitions, Validation rules.
 */
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  OMITTED,
  required,
} from '@turnsole/kube/schema/field-error';
import type { PathSegment } from '@turnsole/kube/schema/path';
import { propertySchema, type StructuralSchema } from '@turnsole/kube/schema/schema';
import { OverTimeError, runWithin } from '@turnsole/kube/text/watchdog';
import { asList, asObjects, asString, isJson, type Json, semanticallyEqual } from '../object.ts';
import { compile, type Program } from './compile.ts';
import { CelError, newEnvironment, Optional } from './environment.ts';
import { type CelType, TypeMaker } from './types.ts';

const RULES = 'x-kubernetes-validations';
/** Rules of strangers may take this long for one object, altogether. */
const RULES_MS = 500;

interface Rule {
  readonly text: string;
  readonly program: Program;
  /** Whether it compares with the old value, and so applies only to values that existed before. */
  readonly isTransition: boolean;
  readonly oldIsOptional: boolean;
  readonly message: string;
  readonly messageProgram: Program | undefined;
  readonly reason: string;
  readonly field: readonly PathSegment[];
}

/** The part of a schema that has rules, or contains a part with rules. */
interface Node {
  readonly schema: StructuralSchema;
  readonly type: CelType | undefined;
  readonly rules: readonly Rule[];
  readonly properties: ReadonlyMap<string, Node>;
  readonly items: Node | undefined;
  readonly values: Node | undefined;
}

/** A mistake in a rule of a schema. */
export interface RuleMistake {
  /** Below the schema: `properties[spec].x-kubernetes-validations[0].rule`. */
  readonly path: string;
  /** The kind of value at that place; undefined when it is missing. */
  readonly value: string | undefined;
  readonly detail: string;
}

/** The rules of one schema. */
export class SchemaRules {
  readonly mistakes: readonly RuleMistake[];
  readonly #root: Node | undefined;

  constructor(schema: StructuralSchema) {
    const reader = new Reader();
    this.#root = reader.read(schema);
    this.mistakes = reader.mistakes;
  }

  /** Violations of the rules by an object that fits its schema. `old` is the object that it replaces. */
  evaluate(object: Json, old: Json | undefined): FieldError[] {
    const root = this.#root;
    if (root === undefined) return [];
    try {
      return runWithin(RULES_MS, () => {
        const errors: FieldError[] = [];
        check(root, object, old, [], errors);
        return errors;
      });
    } catch (error) {
      if (!(error instanceof OverTimeError)) throw error;
      return [invalid([], '', `its validation rules take too long: more than ${RULES_MS} ms`)];
    }
  }
}

/** Reads a schema in two passes: all types first, since an environment that has copies takes no more of them. */
class Reader {
  readonly mistakes: RuleMistake[] = [];
  readonly #types = newEnvironment();
  readonly #maker: TypeMaker;

  constructor() {
    const durations = newEnvironment().registerVariable('text', 'string').parse('duration(text)');
    this.#maker = new TypeMaker(this.#types, (text) => durations({ text }));
  }

  read(schema: StructuralSchema): Node | undefined {
    const typed = this.#typed(schema, true);
    return typed === undefined ? undefined : this.#compiled(typed, '', true);
  }

  #typed(schema: StructuralSchema, isRoot = false): Typed | undefined {
    const declared = rulesOf(schema);
    const below = (child: StructuralSchema | undefined): Typed | undefined =>
      child === undefined ? undefined : this.#typed(child);
    const properties = Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
      const found = below(child);
      return found === undefined ? [] : [[name, found] as const];
    });
    const items = below(schema.items);
    const values =
      typeof schema.additionalProperties === 'object' ? below(schema.additionalProperties) : undefined;
    if (declared.length === 0 && properties.length === 0 && items === undefined && values === undefined)
      return undefined;
    const type = declared.length === 0 ? undefined : this.#maker.of(schema, isRoot || undefined);
    return { schema, type, declared, properties, items, values };
  }

  #compiled(
    { schema, type, declared, properties, items, values }: Typed,
    path: string,
    isCorrelatable: boolean,
  ): Node {
    const at = (step: string): string => (path === '' ? step : `${path}.${step}`);
    const child = (typed: Typed | undefined, step: string, correlates = isCorrelatable): Node | undefined =>
      typed && this.#compiled(typed, at(step), correlates);
    const isMap = schema['x-kubernetes-list-type'] === 'map';
    return {
      schema,
      type,
      rules: declared.flatMap((rule, index) =>
        this.#rule(rule, at(`${RULES}[${index}]`), schema, type, isCorrelatable),
      ),
      properties: new Map(
        properties.map(([name, typed]) => [
          name,
          this.#compiled(typed, at(`properties[${name}]`), isCorrelatable),
        ]),
      ),
      items: child(items, 'items', isCorrelatable && isMap),
      values: child(values, 'additionalProperties'),
    };
  }

  #rule(
    declared: Json,
    path: string,
    schema: StructuralSchema,
    type: CelType | undefined,
    isCorrelatable: boolean,
  ): Rule[] {
    const text = asString(declared.rule);
    const mistake = (field: string, value: string | undefined, detail: string): Rule[] => {
      this.mistakes.push({ path: `${path}.${field}`, value, detail });
      return [];
    };
    if (text.trim() === '') return mistake('rule', undefined, 'rule is not specified');
    const oldIsOptional = declared.optionalOldSelf === true;
    const message = asString(declared.message).trim();
    if (message.includes('\n')) return mistake('message', message, 'message must not contain line breaks');
    const field = ruleField(asString(declared.fieldPath), schema);
    if (field === undefined) {
      return mistake('fieldPath', asString(declared.fieldPath), 'fieldPath must be a valid path');
    }
    const variables = this.#types.clone();
    const self = type?.name ?? 'dyn';
    variables
      .registerVariable('self', self)
      .registerVariable('oldSelf', oldIsOptional ? `optional<${self}>` : self);
    const understood = (name: string, source: string, wanted: string): Program | undefined => {
      try {
        const program = compile(variables, source);
        if (program.type === wanted || program.type === 'dyn') return program;
        const article =
          wanted === 'bool' ? 'cel expression must evaluate to a bool' : `${name} must evaluate to a string`;
        mistake(name, source, article);
      } catch (error) {
        if (!(error instanceof CelError)) throw error;
        mistake(name, source, error.message);
      }
      return undefined;
    };
    const program = understood('rule', text, 'bool');
    const source = asString(declared.messageExpression).trim();
    const messageProgram = source === '' ? undefined : understood('messageExpression', source, 'string');
    if (program === undefined || (source !== '' && messageProgram === undefined)) return [];
    const isTransition = program.names.has('oldSelf');
    if (isTransition && !isCorrelatable) {
      return mistake('rule', text, 'oldSelf cannot be used on the uncorrelatable portion of the schema');
    }
    const reason = asString(declared.reason);
    return [{ text, program, isTransition, oldIsOptional, message, messageProgram, reason, field }];
  }
}

/** A part of a schema with the type of its values, whose rules are not compiled yet. */
interface Typed {
  readonly schema: StructuralSchema;
  readonly type: CelType | undefined;
  readonly declared: readonly Json[];
  readonly properties: readonly (readonly [string, Typed])[];
  readonly items: Typed | undefined;
  readonly values: Typed | undefined;
}

function rulesOf(schema: StructuralSchema): readonly Json[] {
  return asObjects(schema[RULES]);
}

function check(
  node: Node,
  value: unknown,
  old: unknown,
  path: readonly PathSegment[],
  errors: FieldError[],
): void {
  if (value === undefined || value === null) return;
  const hadOne = old !== undefined && old !== null;
  if (node.rules.length > 0) checkRules(node, value, hadOne ? old : undefined, path, errors);
  if (isJson(value)) {
    const before = isJson(old) ? old : {};
    for (const [name, child] of node.properties)
      check(child, value[name], before[name], [...path, name], errors);
    if (node.values === undefined) return;
    for (const [key, item] of Object.entries(value)) {
      if (!node.properties.has(key)) check(node.values, item, before[key], [...path, key], errors);
    }
  } else if (Array.isArray(value) && node.items !== undefined) {
    const find = correlate(node.schema, asList(old));
    for (const [index, item] of value.entries())
      check(node.items, item, find(item), [...path, index], errors);
  }
}

function checkRules(
  { type, rules }: Node,
  value: unknown,
  old: unknown,
  path: readonly PathSegment[],
  errors: FieldError[],
): void {
  // An object that was stored before its rules existed may stay as it is.
  const isUnchanged = old !== undefined && semanticallyEqual(value, old);
  const due = rules.filter(({ isTransition, oldIsOptional }) =>
    isTransition ? oldIsOptional || old !== undefined : !isUnchanged,
  );
  if (due.length === 0) return;
  const convert = type?.convert ?? ((item: unknown) => item);
  const self = convert(value);
  const before = old === undefined ? undefined : convert(old);
  for (const rule of due) {
    const variables = { self, oldSelf: rule.oldIsOptional ? optionally(before) : before };
    const problem = outcome(rule, variables);
    if (problem !== undefined) errors.push(asError(rule, [...path, ...rule.field], problem));
  }
}

/** Why the rule does not hold; undefined when it does. */
function outcome(rule: Rule, variables: Json): string | undefined {
  try {
    if (rule.program.run(variables) === true) return undefined;
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return `${error.message} evaluating rule: ${rule.message || rule.text}`;
  }
  return expressedMessage(rule, variables) ?? (rule.message || `failed rule: ${rule.text.trim()}`);
}

/** What the rule's own expression says; undefined where that fails or says nothing fit for a message. */
function expressedMessage({ messageProgram }: Rule, variables: Json): string | undefined {
  if (messageProgram === undefined) return undefined;
  try {
    const text = messageProgram.run(variables);
    return typeof text === 'string' && text.trim() !== '' && !text.includes('\n') ? text.trim() : undefined;
  } catch (error) {
    if (error instanceof CelError) return undefined;
    throw error;
  }
}

/** The value, which may be large, is not shown. */
function asError({ reason }: Rule, path: readonly PathSegment[], detail: string): FieldError {
  switch (reason) {
    case 'FieldValueRequired':
      return required(path, detail);
    case 'FieldValueForbidden':
      return forbidden(path, detail);
    case 'FieldValueDuplicate':
      return duplicate(path, OMITTED, detail);
    default:
      return invalid(path, OMITTED, detail);
  }
}

function optionally(value: unknown): unknown {
  return value === undefined ? Optional.none() : Optional.of(value);
}

/** Finds what an item of a list was before, by its keys; nothing for lists whose items have none. */
function correlate(schema: StructuralSchema, old: readonly unknown[]): (item: unknown) => unknown {
  if (schema['x-kubernetes-list-type'] !== 'map') return () => undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const keyOf = (item: unknown): string =>
    JSON.stringify(keys.map((key) => (isJson(item) ? item[key] : undefined)));
  const known = new Map(old.map((item) => [keyOf(item), item]));
  return (item) => known.get(keyOf(item));
}

const STEP = /^(?:\.([A-Za-z_][\w-]*)|\[\s*'((?:[^'\\]|\\.)*)'\s*\])/;

/** The field to which a rule's failure belongs, `.spec.size` or `['a.b'].c` below its schema; undefined when the text names no field. Pure. */
function ruleField(text: string, schema: StructuralSchema): readonly PathSegment[] | undefined {
  const segments: string[] = [];
  let rest = text.trim();
  let at: StructuralSchema | undefined = schema;
  while (rest !== '') {
    const match: RegExpExecArray | null = STEP.exec(rest);
    if (match === null || at === undefined) return undefined;
    const name = match[1] ?? (match[2] ?? '').replace(/\\(.)/g, '$1');
    const { additionalProperties }: StructuralSchema = at;
    at =
      propertySchema(at, name) ??
      (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    if (at === undefined) return undefined;
    segments.push(name);
    rest = rest.slice(match[0].length);
  }
  return segments;
}

import type { Span } from '../errors.ts';
import type { Value } from '../values.ts';

/** A node of the syntax tree. Nothing is stored on it while it is evaluated. */
export type Node = { readonly span: Span } & (
  | { readonly kind: 'literal'; readonly value: Value }
  | { readonly kind: 'name'; readonly name: string }
  /** `#`, `#acc`, `#index` inside a predicate; `.field` is a field of the pointer `#`. */
  | { readonly kind: 'pointer'; readonly name: string }
  | { readonly kind: 'unary'; readonly operator: string; readonly operand: Node }
  | { readonly kind: 'binary'; readonly operator: string; readonly left: Node; readonly right: Node }
  | { readonly kind: 'condition'; readonly condition: Node; readonly yes: Node; readonly no: Node }
  /** `a.b`, `a["b"]`, `a?.b`: with `optional` nil has nil members. */
  | { readonly kind: 'member'; readonly object: Node; readonly property: Node; readonly optional: boolean }
  | { readonly kind: 'slice'; readonly object: Node; readonly from?: Node; readonly to?: Node }
  /** Everything after `?.` is skipped as well when the value before it is missing. */
  | { readonly kind: 'chain'; readonly body: Node }
  | { readonly kind: 'call'; readonly callee: Node; readonly args: readonly Node[] }
  | { readonly kind: 'builtin'; readonly name: string; readonly args: readonly Node[] }
  /** The body of a predicate, evaluated once for each element. */
  | { readonly kind: 'predicate'; readonly body: Node }
  | { readonly kind: 'list'; readonly items: readonly Node[] }
  | { readonly kind: 'map'; readonly pairs: readonly { readonly key: Node; readonly value: Node }[] }
  | { readonly kind: 'let'; readonly name: string; readonly value: Node; readonly body: Node }
  | { readonly kind: 'sequence'; readonly steps: readonly Node[] }
);

export type NodeOf<K extends Node['kind']> = Extract<Node, { readonly kind: K }>;

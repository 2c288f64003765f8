import type { Node } from './nodes.ts';

/**
 * The names that an expression reads from its environment, with the members that are written out: `steps.a.outputs.result`,
 * `inputs.parameters['my-param']`. Names that `let` gives are not among them. Pure.
 */
export function namesIn(node: Node): ReadonlySet<string> {
  const found = new Set<string>();
  collect(node, new Set(), found);
  return found;
}

function collect(node: Node, local: ReadonlySet<string>, found: Set<string>): void {
  const path = pathOf(node);
  if (path !== undefined) {
    if (!local.has(path.root)) found.add(path.name);
    return;
  }
  if (node.kind === 'let') {
    collect(node.value, local, found);
    collect(node.body, new Set([...local, node.name]), found);
    return;
  }
  for (const child of childrenOf(node)) collect(child, local, found);
}

/** `a.b['c']` as `a.b.c`; undefined for anything but a name with literal members. */
function pathOf(node: Node): { readonly root: string; readonly name: string } | undefined {
  if (node.kind === 'name') return { root: node.name, name: node.name };
  if (node.kind === 'chain') return pathOf(node.body);
  if (node.kind !== 'member' || node.property.kind !== 'literal') return undefined;
  const object = pathOf(node.object);
  return object && { root: object.root, name: `${object.name}.${node.property.value}` };
}

function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'literal':
    case 'name':
    case 'pointer':
      return [];
    case 'unary':
      return [node.operand];
    case 'binary':
      return [node.left, node.right];
    case 'condition':
      return [node.condition, node.yes, node.no];
    case 'member':
      return [node.object, node.property];
    case 'slice':
      return [node.object, node.from, node.to].filter((part) => part !== undefined);
    case 'chain':
    case 'predicate':
      return [node.body];
    case 'call':
      // The callee is a function or a method, no value of the environment.
      return node.callee.kind === 'member' ? [node.callee.object, ...node.args] : node.args;
    case 'builtin':
      return node.args;
    case 'list':
      return node.items;
    case 'map':
      return node.pairs.flatMap(({ key, value }) => [key, value]);
    case 'let':
      return [node.value, node.body];
    case 'sequence':
      return node.steps;
  }
}

import {
  FieldSelectorError,
  type ParsedFieldSelector,
  parseFieldSelector,
} from '@turnsole/kube/text/field-selector';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import { CommandError } from '../errors.ts';

/** The fields of a node by which it may be selected; `inputs.parameters.<name>.value` is one more. */
const FIELDS: Readonly<Record<string, (node: NodeStatus) => string | undefined>> = {
  displayName: (node) => node.displayName,
  templateName: (node) => node.templateName,
  phase: (node) => node.phase,
  name: (node) => node.name,
  id: (node) => node.id,
  'templateRef.name': (node) => node.templateRef?.name,
  'templateRef.template': (node) => node.templateRef?.template,
};

const PARAMETER = /^inputs\.parameters\.(.+)\.value$/;

/**
 * A predicate of nodes from a text such as `displayName=approve,phase!=Succeeded`; all conditions must hold. Pure.
 *
 * @throws CommandError (bad input) when it cannot be read or names a field that nodes cannot be selected by
 */
export function parseNodeSelector(text: string): (node: NodeStatus) => boolean {
  const conditions = readConditions(text).map(({ field, operator, value }) => {
    const get = getterOf(field);
    return (node: NodeStatus): boolean => ((get(node) ?? '') === value) === (operator === '=');
  });
  return (node) => conditions.every((holds) => holds(node));
}

function readConditions(text: string): ParsedFieldSelector {
  try {
    return parseFieldSelector(text);
  } catch (error) {
    if (!(error instanceof FieldSelectorError)) throw error;
    const message = `--node-field-selector: ${error.message}; expected such as displayName=approve,phase!=Succeeded`;
    throw new CommandError(message, 'OPTION_INVALID', { cause: error });
  }
}

function getterOf(field: string): (node: NodeStatus) => string | undefined {
  const parameter = PARAMETER.exec(field)?.[1];
  if (parameter !== undefined)
    return ({ inputs }) => inputs?.parameters?.find(({ name }) => name === parameter)?.value;
  const get = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
  if (get !== undefined) return get;
  const known = [...Object.keys(FIELDS), 'inputs.parameters.<name>.value'].join(', ');
  throw new CommandError(
    `--node-field-selector: nodes cannot be selected by ${field}; expected one of ${known}`,
    'OPTION_INVALID',
  );
}

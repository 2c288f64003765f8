import {
  type ASTNode,
  type ASTVisitor,
  type FragmentDefinitionNode,
  GraphQLError,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';

/** Levels of nested fields; the page's queries have seven. */
const MOST_LEVELS = 15;
/** Fields in total, with fragments counted at each use: the largest query of the page has some 150. */
const MOST_FIELDS = 1_500;
/** Fields at the top: each is an operation of its own. */
const MOST_OPERATIONS = 20;

/** Fields of one name, or of one alias, at one place: clients ask once. Some rules compare them in pairs. */
const MOST_REPEATED = 20;
/** Operations and fragments: the page's documents have three. */
const MOST_DEFINITIONS = 100;

/** Levels of nested nodes of any kind: the page's queries have some twenty, introspection some forty. */
const MOST_NESTED = 200;

/** Rejects documents that are small but expensive to answer. Introspection may be as deep as it needs to be. */
export const limits: ValidationRule = (context: ValidationContext): ASTVisitor => ({
  Document: ({ definitions }) => {
    if (definitions.length <= MOST_DEFINITIONS) return;
    const count = `the document has ${definitions.length} operations and fragments`;
    throw new GraphQLError(`${count}; ${MOST_DEFINITIONS} are allowed`);
  },
  SelectionSet: (set) => {
    const repeated = mostRepeated(set);
    if (repeated === undefined) return;
    const count = `the document asks for ${repeated.name} ${repeated.times} times at one place`;
    throw new GraphQLError(`${count}; ${MOST_REPEATED} are allowed`, { nodes: set });
  },
  OperationDefinition: {
    enter: (operation) => {
      const measure = measured(context, operation.selectionSet);
      const excess = tooMuch(measure, operation.selectionSet.selections.length);
      if (excess !== undefined) context.reportError(new GraphQLError(excess, { nodes: operation }));
    },
  },
  ...nestingLimit(),
});

/**
 * Parser and rules recurse for each level. How many levels fit on the stack depends on JIT optimisation, but the answer to a document
 * must not. @throws GraphQLError in the visitor, so that no rule goes deeper
 */
function nestingLimit(): { readonly enter: (node: ASTNode) => void; readonly leave: () => void } {
  let nested = 0;
  return {
    enter: (node) => {
      nested += 1;
      if (nested > MOST_NESTED) throw new GraphQLError('the document is nested too deep', { nodes: node });
    },
    leave: () => {
      nested -= 1;
    },
  };
}

/** A response name that stands too often among the fields of a set itself. */
function mostRepeated({ selections }: SelectionSetNode): { name: string; times: number } | undefined {
  const times = new Map<string, number>();
  for (const selection of selections) {
    if (selection.kind !== 'Field') continue;
    const name = (selection.alias ?? selection.name).value;
    times.set(name, (times.get(name) ?? 0) + 1);
  }
  const most = [...times].find(([, count]) => count > MOST_REPEATED);
  return most === undefined ? undefined : { name: most[0], times: most[1] };
}

interface Measure {
  readonly fields: number;
  readonly levels: number;
}

function tooMuch({ fields, levels }: Measure, operations: number): string | undefined {
  if (levels > MOST_LEVELS) return `the document has ${levels} levels of fields; ${MOST_LEVELS} are allowed`;
  if (fields > MOST_FIELDS)
    return `the document asks for more than ${MOST_FIELDS} fields, which is the limit`;
  if (operations > MOST_OPERATIONS) {
    return `the document asks for ${operations} operations at once; ${MOST_OPERATIONS} are allowed`;
  }
  return undefined;
}

/** Stops counting at the limit, since nested fragments grow exponentially. */
function measured(context: ValidationContext, root: SelectionSetNode): Measure {
  let fields = 0;
  const levelsOf = (set: SelectionSetNode | undefined, spread: ReadonlySet<string>): number => {
    let deepest = 0;
    for (const selection of set?.selections ?? []) {
      if (fields > MOST_FIELDS) return deepest;
      if (selection.kind === 'Field') {
        if (selection.name.value.startsWith('__')) continue;
        fields += 1;
        deepest = Math.max(deepest, 1 + levelsOf(selection.selectionSet, spread));
      } else if (selection.kind === 'InlineFragment') {
        deepest = Math.max(deepest, levelsOf(selection.selectionSet, spread));
      } else {
        const fragment = unseen(context.getFragment(selection.name.value), spread);
        if (fragment !== undefined) {
          deepest = Math.max(
            deepest,
            levelsOf(fragment.selectionSet, new Set(spread).add(fragment.name.value)),
          );
        }
      }
    }
    return deepest;
  };
  const levels = levelsOf(root, new Set());
  return { fields, levels };
}

/** Undefined for a fragment that contains itself, which another rule reports. */
function unseen(
  fragment: FragmentDefinitionNode | null | undefined,
  spread: ReadonlySet<string>,
): FragmentDefinitionNode | undefined {
  return fragment === null || fragment === undefined || spread.has(fragment.name.value)
    ? undefined
    : fragment;
}

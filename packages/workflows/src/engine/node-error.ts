/** A node cannot go on; `message` is what its status says. */
export class NodeError extends Error {
  override readonly name = 'NodeError';
}

/** The text of an error that belongs to a node. What is none is a defect of the engine and goes on. */
export function nodeMessage(error: unknown): string {
  if (error instanceof Error && NODE_ERRORS.has(error.name)) return error.message;
  throw error;
}

const NODE_ERRORS: ReadonlySet<string> = new Set([
  'NodeError',
  'LoopError',
  'TemplateDefaultsError',
  'ExpressionError',
  'ExpressionBudgetError',
  'UnknownNameError',
  'UnresolvedTagError',
  'GovaluateSyntaxError',
  'DurationError',
]);

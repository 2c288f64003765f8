/** The part of the library that is used; its own declarations name every function of the language. */
declare module '@jmespath-community/jmespath' {
  /** An expression that has been read. */
  export interface ExpressionNode {
    readonly type: string;
  }
  /** @throws Error with the place in its message */
  export function compile(expression: string): ExpressionNode;
  export const TreeInterpreter: {
    /** @throws Error when a function is given what it does not take */
    search(node: ExpressionNode, value: unknown): unknown;
  };
}

/** The operator: reconcilers of the chaos kinds. See README.md. */
export { type OperatorIo, runOperator } from './run-operator.ts';
export {
  DEFAULT_RUNNER_IMAGE,
  type Operator,
  type OperatorOptions,
  startOperator,
} from './start-operator.ts';

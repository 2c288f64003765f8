/**
 * Argo's workflows as pure functions: reading, judging and deciding. Nothing here reads a cluster, a clock or a file. Programs that must start
 * fast import the files that they need (`@turnsole/workflows/expression/evaluate`). See the README.
 */
export { type CronClock, type CronDecision, decideCron } from './cron/decide-cron.ts';
export { validateCronWorkflow } from './cron/validate-cron.ts';
export type * from './engine/change.ts';
export { applyDecision, decide } from './engine/decide.ts';
export { effectiveSpec } from './engine/effective-spec.ts';
export { NodeError } from './engine/node-error.ts';
export { type Controls, createRun, type Facts, type Run, type RunOptions } from './engine/run.ts';
export { Budget, type ExpressionLimits } from './expression/budget.ts';
export { ExpressionBudgetError, ExpressionError } from './expression/errors.ts';
export { type ExpressionOptions, evaluateExpression } from './expression/evaluate.ts';
export { UnknownNameError } from './expression/expr/evaluate.ts';
export { evaluateGovaluate } from './expression/govaluate/evaluate-govaluate.ts';
export { KEEP, renderTags, type TagValues, UnresolvedTagError } from './expression/tags/render.ts';
export type { Value, ValueMap } from './expression/values.ts';
export type * from './kinds/cron-workflow.ts';
export { decodeCronWorkflow, decodeWorkflow, decodeWorkflowTemplate } from './kinds/decode/workflow.ts';
export { readManifest, type UnknownField } from './kinds/manifest/read-manifest.ts';
export type * from './kinds/parameters.ts';
export * from './kinds/resources.ts';
export type * from './kinds/status.ts';
export type * from './kinds/template.ts';
export type * from './kinds/workflow.ts';
export { mustReport } from './pods/collection.ts';
export { type NodePod, nodePod } from './pods/node-pod.ts';
export { PodError } from './pods/pod-error.ts';
export { podFact } from './pods/pod-fact.ts';
export { readReport, reportingContainer } from './pods/report.ts';
export type { PodOwner, PodSettings } from './pods/settings.ts';
export { NO_TEMPLATES, type TemplateLibrary } from './validation/library.ts';
export type { WorkflowProblem } from './validation/problem.ts';
export { validateWorkflow } from './validation/validate-workflow.ts';

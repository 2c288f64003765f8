import { LABEL_WORKFLOW } from '@turnsole/workflows/kinds/labels';
import { PODS_OF_ENGINES } from '../api/kept-logs.ts';

/** What together select the pods of runs: those of engines (runners, experiments, helpers), and those of the steps of workflows. */
export const PODS_OF_RUNS: readonly string[] = [PODS_OF_ENGINES, LABEL_WORKFLOW];

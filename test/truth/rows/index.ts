/** All rows of the truth suite. */
import type { Row } from '../row.ts';
import { HTTP_ROWS } from './http.ts';
import { LOAD_ROWS } from './load.ts';
import { NETWORK_ROWS } from './network.ts';
import { NODE_ROWS } from './node.ts';
import { NUMBER_ROWS } from './numbers.ts';
import { POD_ROWS } from './pod.ts';
import { STRESS_ROWS } from './stress.ts';
import { TOLERANCE_ROWS } from './tolerance.ts';
import { VERDICT_ROWS } from './verdict.ts';
import { WINDOW_ROWS } from './window.ts';
import { WORKFLOW_ROWS } from './workflow.ts';

export const ROWS: readonly Row[] = [
  ...POD_ROWS,
  ...HTTP_ROWS,
  ...NETWORK_ROWS,
  ...STRESS_ROWS,
  ...NODE_ROWS,
  ...LOAD_ROWS,
  ...NUMBER_ROWS,
  ...TOLERANCE_ROWS,
  ...VERDICT_ROWS,
  ...WINDOW_ROWS,
  ...WORKFLOW_ROWS,
];

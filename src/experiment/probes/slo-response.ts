import { isObject, parseObject } from '@turnsole/kube/text/json';
import type { HttpAnswer } from './http-request.ts';
import { shownHead } from './json-answer.ts';
import type { BudgetPoint } from './slo-budget.ts';

/** The platform did not give the error budget; `message` says what it gave. */
export class SloResponseError extends Error {
  override readonly name = 'SloResponseError';
  /** Asking again may help: the server is busy or broken. */
  readonly mayPass: boolean;

  constructor(message: string, mayPass: boolean) {
    super(message);
    this.mayPass = mayPass;
  }
}

/** What the platform knows of an objective. */
interface SloState {
  readonly points: readonly BudgetPoint[];
  /** The platform is still working on its values. */
  readonly isCalculating: boolean;
}

/**
 * Gives the error budget over time from the answer to "SLO dashboard details". Pure. (Harness Service Reliability
 * Management API, `ResponseDTOSLODashboardDetail`: `data.sloDashboardWidget.errorBudgetBurndown`.)
 *
 * @throws SloResponseError for any other answer
 */
export function sloState(answer: HttpAnswer): SloState {
  const { status, body } = answer;
  const found = parseObject(body);
  if (status !== 200 || found === undefined || found.status === 'ERROR' || found.status === 'FAILURE') {
    throw refusal(status, found, body);
  }
  const data = isObject(found.data) ? found.data : {};
  const widget = isObject(data.sloDashboardWidget) ? data.sloDashboardWidget : undefined;
  if (widget === undefined || !Array.isArray(widget.errorBudgetBurndown)) {
    throw new SloResponseError(`no error budget in the answer: ${shownHead(body)}`, false);
  }
  const points: readonly unknown[] = widget.errorBudgetBurndown;
  return {
    points: points.map(pointOf).filter((point) => point !== undefined),
    isCalculating: ['calculatingSLI', 'recalculatingSLI', 'isCalculatingSLI', 'isRecalculatingSLI'].some(
      (flag) => widget[flag] === true,
    ),
  };
}

function pointOf(point: unknown): BudgetPoint | undefined {
  if (!isObject(point)) return undefined;
  const { timestamp, value } = point;
  if (typeof timestamp !== 'number' || typeof value !== 'number') return undefined;
  return { timeMs: timestamp, percent: value };
}

function refusal(
  status: number,
  answer: Record<string, unknown> | undefined,
  body: string,
): SloResponseError {
  const said = typeof answer?.message === 'string' ? answer.message : shownHead(body);
  const mayPass = status === 429 || status >= 500;
  switch (status) {
    case 401:
    case 403:
      return new SloResponseError(
        `status ${status}, the API token was not accepted: ${said}; it needs to be allowed to view SLOs`,
        false,
      );
    case 404:
      return new SloResponseError(
        `status 404: ${said}; check platformEndpoint, sloIdentifier and scope`,
        false,
      );
    default:
      return new SloResponseError(`status ${status}: ${said}`, mayPass);
  }
}

import type { Pod } from '@turnsole/kube/kinds/core';
import { type ChaosResult, type EngineVerdict, isOpen, LABEL_APP, LABEL_RUN_ID } from '../../../api/index.ts';
import { helperLabel } from '../../../chaos/helper-label.ts';

/** Verdict of an aborted experiment that has closed its result itself. */
const ABORTED: EngineVerdict = 'Stopped';

/**
 * Names of the pods that have nothing in force and inject nothing more, although they may not have ended yet: experiments of the aborted
 * run that have said their last word in their results, and the helpers of these, which have let go before that word. Pure.
 *
 * An experiment that came to its own end before the abort reached it is none of them: its runner may be about to complete the run.
 */
export function podsThatLetGo(pods: readonly Pod[], results: readonly ChaosResult[]): ReadonlySet<string> {
  const closed = results.filter(isClosedByAbort);
  const hasLetGo = ({ metadata: { name, labels } }: Pod): boolean =>
    closed.some(({ spec, status }) => {
      const { pod, runId = '' } = status?.closed ?? {};
      if (pod === name) return true;
      const isHelper = labels?.[LABEL_APP] === helperLabel(spec?.experiment ?? '', runId);
      return isHelper && labels?.[LABEL_RUN_ID] === runId;
    });
  return new Set(pods.filter(hasLetGo).map(({ metadata }) => metadata.name));
}

function isClosedByAbort({ status }: ChaosResult): boolean {
  const isInForce = Object.values(status?.ledger ?? {}).some(isOpen);
  return status?.closed !== undefined && status.experimentStatus?.verdict === ABORTED && !isInForce;
}

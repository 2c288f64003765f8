import type { ReactElement } from 'react';
import type { ChaosSchedule } from '../../../src/api/index.ts';
import { type ChaosTimes, chaosTimes } from '../../models/experiment/chaos-times.ts';
import { useMinute } from '../../parts/time/future-time.tsx';
import { StateView } from '../state-view.tsx';
import { EXPERIMENT } from '../studio/generated/studio.ts';
import { SHOWN_TIMES, Times } from '../studio/next-times.tsx';
import { useAsk } from '../use-ask.ts';

/** Times of a ChaosSchedule, from its manifest. */
export function ChaosScheduleTimes({
  project,
  experiment,
  isActive,
}: {
  readonly project: string;
  readonly experiment: string;
  /** Whether it is active; otherwise no times are shown. */
  readonly isActive: boolean;
}): ReactElement {
  const view = useAsk(EXPERIMENT, { projectID: project, id: experiment });
  const nowMs = useMinute();
  return (
    <StateView view={view} what="its times">
      {({ getExperiment: { experimentDetails } }) => {
        const found = read(experimentDetails.experimentManifest, nowMs);
        return found === undefined ? (
          'as its ChaosSchedule says'
        ) : (
          <>
            {found.words}
            {found.timezone === '' ? '' : `, ${found.timezone}`}
            {isActive ? <Next found={found} nowMs={nowMs} /> : null}
          </>
        );
      }}
    </StateView>
  );
}

function Next({ found, nowMs }: { readonly found: ChaosTimes; readonly nowMs: number }): ReactElement {
  return found.isUnknown ? (
    <p className="hint">Only its operator knows the next times, which depend on its start.</p>
  ) : (
    <Times times={found.times} timezone={found.timezone} nowMs={nowMs} />
  );
}

/** Undefined for a manifest that is no JSON, which only happens if it is broken. */
function read(manifest: string, nowMs: number): ChaosTimes | undefined {
  try {
    return chaosTimes((JSON.parse(manifest) as ChaosSchedule).spec.schedule, nowMs, SHOWN_TIMES);
  } catch {
    return undefined;
  }
}

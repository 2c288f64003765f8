import type { Step } from '../../models/studio/draft.ts';
import { type ProposedCheck, proposeCheck } from '../../models/studio/propose-check.ts';
import { useAsk } from '../use-ask.ts';
import { PROBES, type ProbesQuery } from './generated/studio.ts';
import { useLiveCluster, useServices } from './use-live-cluster.ts';

/** The check of the application of a step, as its cluster has it now. */
export function useProposedCheck(project: string, infraID: string, target: Step['target']): ProposedCheck {
  const services = useServices(infraID, target.namespace);
  const { pods } = useLiveCluster(infraID, target);
  const probes = useProbes(project);
  return proposeCheck(
    target,
    services,
    pods,
    probes.map(({ name }) => name),
  );
}

/** The probes of the project; none while they are not known. */
export function useProbes(project: string): readonly NonNullable<ProbesQuery['listProbes'][number]>[] {
  const view = useAsk(PROBES, { projectID: project });
  return 'data' in view ? view.data.listProbes.filter((probe) => probe !== null) : [];
}

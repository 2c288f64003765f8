import type { Writer } from '@turnsole/kube/controllers/writer';
import { ENDPOINT_SLICES } from '@turnsole/kube/kinds/resources';
import type { EndpointSlice } from '../shared/types.ts';
import type { SlicePlan } from './decide-slices.ts';

/** Carries out what was decided about slices, one after the other, so that the first failure leaves the rest undone. */
export async function writeSlices(writer: Writer, plan: SlicePlan, signal: AbortSignal): Promise<void> {
  for (const slice of plan.create) await writer.create<EndpointSlice>(ENDPOINT_SLICES, slice, signal);
  for (const slice of plan.update) await writer.update<EndpointSlice>(ENDPOINT_SLICES, slice, signal);
  for (const slice of plan.delete) await writer.delete<EndpointSlice>(ENDPOINT_SLICES, slice, signal);
}

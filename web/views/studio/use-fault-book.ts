import { useQuery } from '@tanstack/react-query';
import type { FaultBook } from '../../models/studio/known-fault.ts';
import { persistently } from '../../parts/lazy-view/persistently.ts';

/** Data of all faults; undefined until it is loaded. */
export function useFaultBook(): FaultBook | undefined {
  const { data } = useQuery({
    queryKey: ['fault book'],
    queryFn: async (): Promise<FaultBook> => {
      const { COMMON_SETTINGS, KNOWN_FAULTS } = await persistently(
        () => import('../../models/studio/generated/fault-settings.ts'),
      );
      return { common: COMMON_SETTINGS, faults: KNOWN_FAULTS };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data;
}

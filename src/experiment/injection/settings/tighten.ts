import { splitList } from '@turnsole/kube/text/split-list';
import type { ChaosEngine } from '../../../api/index.ts';
import { runRecordOf } from '../../../chaos/run-record.ts';
import type { ExperimentSettings } from './compile-settings.ts';

/**
 * Settings with what the engine and the operator's record of its run ask for: a runner that is not Turnsole's hands none of it
 * on in the environment. Only ever stricter. Pure.
 */
export function tightenSettings(settings: ExperimentSettings, engine: ChaosEngine): ExperimentSettings {
  const { protectedNamespaces = '', annotationKey } = runRecordOf(engine) ?? {};
  const { tunables } = settings;
  const further = splitList(protectedNamespaces).filter(
    (name) => !tunables.PROTECTED_NAMESPACES.includes(name),
  );
  const isOptIn = engine.spec.annotationCheck === 'true' && !tunables.ANNOTATION_CHECK;
  if (further.length === 0 && !isOptIn) return settings;
  return {
    ...settings,
    tunables: {
      ...tunables,
      PROTECTED_NAMESPACES: [...tunables.PROTECTED_NAMESPACES, ...further],
      ...(isOptIn ? { ANNOTATION_CHECK: true } : {}),
      ...(isOptIn && annotationKey !== undefined ? { ANNOTATION_KEY: annotationKey } : {}),
    },
  };
}

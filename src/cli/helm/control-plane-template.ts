import { equalJson } from '@turnsole/kube/text/json';
import { controlPlaneObjects } from '../../services/install/control-plane-objects.ts';
import type { ControlPlaneSettings } from '../../services/install/control-plane-settings.ts';
import type { InstallObject } from '../../services/install/install-object.ts';
import { PLACEHOLDERS } from './placeholders.ts';

/** An object, and the condition under which the chart has it; undefined: in any case. */
interface GuardedObject {
  readonly object: InstallObject;
  readonly guard: string | undefined;
}

const CHOICES = [
  ['databaseSecret', '$.Values.controlPlaneDatabaseSecret'],
  ['tlsSecret', '$.Values.controlPlaneTlsSecret'],
  ['host', '$.Values.controlPlaneHost'],
] as const;

/** The objects of the control plane for all that can be given or left out, each once. Pure. */
export function controlPlaneVariants(): GuardedObject[] {
  const found: { readonly object: InstallObject; readonly guards: string[] }[] = [];
  const cases = casesOf();
  for (const { plane, guard } of cases) {
    for (const object of controlPlaneObjects(PLACEHOLDERS, plane)) {
      // The chart's own template makes the key, which install puts in afterwards.
      if (object.kind === 'Secret') continue;
      const known = found.find((other) => equalJson(other.object, object));
      if (known === undefined) found.push({ object, guards: [guard] });
      else known.guards.push(guard);
    }
  }
  return found.map(({ object, guards }) => ({
    object,
    guard: guards.length === cases.length ? undefined : guardOf(object, guards),
  }));
}

function guardOf({ kind }: InstallObject, guards: readonly string[]): string {
  const any = `or ${guards.map((guard) => `(${guard})`).join(' ')}`;
  return kind === 'PodDisruptionBudget' ? `and (${any}) (gt (int $.Values.replicas) 1)` : any;
}

function casesOf(): { readonly plane: ControlPlaneSettings; readonly guard: string }[] {
  const all = PLACEHOLDERS.controlPlane ?? {
    databaseSecret: undefined,
    tlsSecret: undefined,
    host: undefined,
  };
  return Array.from({ length: 2 ** CHOICES.length }, (_, bits) => {
    const isGiven = CHOICES.map((_choice, at) => (bits & (1 << at)) !== 0);
    const left = CHOICES.filter((_choice, at) => !isGiven[at]).map(([field]) => [field, undefined]);
    const terms = CHOICES.map(([, value], at) => (isGiven[at] ? value : `(not ${value})`));
    // Only fields that may be undefined are made so.
    const plane = { ...all, ...Object.fromEntries(left) } as ControlPlaneSettings;
    return { plane, guard: `and ${terms.join(' ')}` };
  });
}

import { isGeneratedFrom } from '@turnsole/kube/text/generated-name';
import type { AccountEngine } from './account.ts';
import type { ExecutionData, RunNode } from './execution-data.ts';

/** A fault, by the prefix of its engines' names. */
interface NamedFault {
  readonly name: string;
}

/** A node of a run with the fault of its engine. */
interface FaultNode<F extends NamedFault> {
  readonly fault: F | undefined;
  readonly node: RunNode;
  readonly engine: AccountEngine;
}

/**
 * The engines of a run, each with its fault: the one whose name is the engine's prefix, the longest if several match, so that
 * an engine of `pod-cpu-hog-exec` does not count for `pod-cpu-hog`. Pure.
 */
export function matchFaults<F extends NamedFault>(faults: readonly F[], data: ExecutionData): FaultNode<F>[] {
  return data.nodes.flatMap((node) => {
    const { engine } = node;
    return engine === undefined || engine === null ? [] : [{ node, engine, fault: faultOf(faults, engine) }];
  });
}

function faultOf<F extends NamedFault>(faults: readonly F[], engine: AccountEngine): F | undefined {
  return (
    longest(faults, ({ name }) => isGeneratedFrom(engine.name, name)) ??
    longest(faults, ({ name }) => engine.name.startsWith(name)) ??
    // A renamed engine, or one without a workflow, whose name is unrelated to its fault.
    faults.find(({ name }) => name === engine.experiment) ??
    longest(faults, ({ name }) => engine.name.includes(name))
  );
}

function longest<F extends NamedFault>(faults: readonly F[], fits: (fault: F) => boolean): F | undefined {
  return faults
    .filter(fits)
    .toSorted((left, right) => right.name.length - left.name.length)
    .at(0);
}

/** Progress of a halt in one infrastructure, from the server. */
export interface HaltOfInfra {
  readonly infraName: string;
  readonly isHalted: boolean;
  readonly reason: string;
  readonly by: { readonly username: string };
  readonly at: string;
  readonly state: string;
  readonly message: string;
  readonly left: readonly string[];
}

/** A halt as the bar shows it. */
export interface ShownHalt {
  readonly by: string;
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly sinceMs: number | undefined;
  /** Problems, a sentence each. */
  readonly notes: readonly string[];
}

/** The halt of a project, from those of its infrastructures; undefined when none is halted. Pure. */
export function shownHalt(halts: readonly HaltOfInfra[]): ShownHalt | undefined {
  const halted = halts.filter(({ isHalted }) => isHalted);
  const [first] = halted.toSorted((a, b) => Number(a.at) - Number(b.at));
  if (first === undefined) return undefined;
  return {
    ...{ by: first.by.username, reason: first.reason, sinceMs: Number(first.at) },
    notes: halted.flatMap(noteOf),
  };
}

function noteOf({ infraName, state, message, left }: HaltOfInfra): string[] {
  switch (state) {
    case 'DONE':
      return [];
    case 'WAITING':
      return [`${infraName}: its agent has not told yet`];
    case 'LEFT':
      return [`${infraName}: still in force: ${left.join(', ')}`];
    case 'WITHOUT_LEVER':
      return [`${infraName}: its agent has no lever; its runs were stopped`];
    default:
      return [`${infraName}: not halted: ${message}`];
  }
}

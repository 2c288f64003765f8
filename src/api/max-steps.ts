/** An engine starts at most so many experiments, iterations included: its status has an entry for each. */
export const MAX_STEPS = 1000;

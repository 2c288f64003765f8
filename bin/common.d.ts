/** The oldest major version of Node that Turnsole works with. */
export const MINIMUM_NODE: number;

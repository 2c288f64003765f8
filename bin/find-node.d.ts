/**
 * Path of a Node that is new enough: that of TURNSOLE_NODE, the one of a checkout, or one that npm installs once for Turnsole alone.
 *
 * @throws Error where none can be had
 */
export function findNode(): string;

import { Refusal } from '../access/refusal.ts';
import type { HubRow } from '../store/tables/hubs.ts';
import { DEFAULT_HUB_NAME } from './default-hub.ts';

const MOST_NAME = 128;
const MOST_DESCRIPTION = 4_096;
const MOST_TAGS = 50;

/** Checks name, description and tags of a hub. @throws Refusal naming the field */
export function refuseDetails({
  name,
  description,
  tags,
}: {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
}): void {
  const refuse = (field: string, sentence: string): never => {
    throw new Refusal('invalid', sentence, { fields: [`request.${field}`] });
  };
  if (name.trim() === '') refuse('name', 'name is empty');
  if (name.length > MOST_NAME) refuse('name', `name is longer than ${MOST_NAME} characters`);
  // The name is part of the addresses of the hub's pictures.
  if (/[/\\]/.test(name) || name.trim().startsWith('.'))
    refuse('name', 'name has a slash in it, or begins with a dot');
  if ((description?.length ?? 0) > MOST_DESCRIPTION) {
    refuse('description', `description is longer than ${MOST_DESCRIPTION} characters`);
  }
  if ((tags?.length ?? 0) > MOST_TAGS || tags?.some((tag) => tag.length > MOST_NAME) === true) {
    refuse('tags', `there may be ${MOST_TAGS} tags of ${MOST_NAME} characters each`);
  }
}

/** Names are unique in a project, case-insensitively. @throws Refusal in upstream's words */
export function refuseName(name: string, others: readonly Pick<HubRow, 'name'>[]): void {
  const taken = [DEFAULT_HUB_NAME, ...others.map((other) => other.name)].map((one) => one.toLowerCase());
  if (taken.includes(name.trim().toLowerCase())) {
    throw new Refusal('conflict', 'name already exists', { fields: ['request.name'] });
  }
}

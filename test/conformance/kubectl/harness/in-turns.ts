import type { Conversation } from './conversation.ts';

/** Holds conversations, so many at a time; then those that have to be held alone, one after the other. */
export async function inTurns(
  conversations: readonly Conversation[],
  atOnce: number,
  holdOne: (conversation: Conversation) => Promise<unknown>,
): Promise<void> {
  const waiting = conversations.filter(({ alone }) => alone !== true).values();
  const takeTurns = async (): Promise<void> => {
    for (const conversation of waiting) await holdOne(conversation); // the iterator is shared: each is taken once
  };
  await Promise.all(Array.from({ length: atOnce }, takeTurns));
  for (const conversation of conversations.filter(({ alone }) => alone === true)) await holdOne(conversation);
}

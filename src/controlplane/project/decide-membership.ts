import { Refusal } from '../access/refusal.ts';
import type { MemberRow } from '../store/tables/projects.ts';

type Invitation = MemberRow['invitation'];

/** A user's role and invitation; undefined if there is none. */
type Place = Pick<MemberRow, 'role' | 'invitation'> | undefined;

/** Upstream returns these in `message`. */
function refused(sentence: string): Refusal {
  return new Refusal('invalid', sentence, { asMessage: true });
}

/** Whether an invitation is a new row, or renews one. Pure. @throws Refusal for a member */
export function decideInvitation(place: Place): 'new' | 'again' {
  if (place === undefined) return 'new';
  if (place.invitation === 'Accepted') throw refused('user is already a member of this project');
  return 'again';
}

/** The state after an answer to an invitation. Pure. @throws Refusal if no invitation is pending */
export function decideAnswer(place: Place, answer: 'Accepted' | 'Declined'): Invitation {
  if (place?.invitation === 'Pending') return answer;
  throw new Refusal('forbidden', 'permission_denied: you have no invitation to this project');
}

/** The state of a member who leaves. Pure. @throws Refusal for a user who is no member, and for the last owner */
export function decideLeave(place: Place, otherOwners: number): Invitation {
  if (place?.invitation !== 'Accepted')
    throw new Refusal('forbidden', 'permission_denied: you are no member of this project');
  if (place.role === 'Owner' && otherOwners === 0)
    throw refused('Cannot leave project. There must be at least one owner.');
  return 'Exited';
}

/** The effect of a removal by an owner: deletes an invitation, marks a member as left. Pure. @throws Refusal */
export function decideRemoval(place: Place, isCaller: boolean): 'delete' | 'exit' {
  if (isCaller) throw refused('User cannot remove invitation of themselves use Leave Project.');
  if (place?.invitation === 'Pending') return 'delete';
  if (place?.invitation === 'Accepted') return 'exit';
  throw refused('User is not a part of your project');
}

/** Checks whether an owner may change a role. Owners cannot change their own, so that one always remains. Pure. @throws Refusal */
export function decideRoleChange(place: Place, isCaller: boolean): void {
  if (isCaller) throw refused('User cannot change their own role.');
  if (place?.invitation !== 'Accepted' && place?.invitation !== 'Pending')
    throw refused('User is not a part of your project');
}

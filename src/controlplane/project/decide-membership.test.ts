import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decideAnswer,
  decideInvitation,
  decideLeave,
  decideRemoval,
  decideRoleChange,
} from './decide-membership.ts';

const place = (invitation: 'Pending' | 'Accepted' | 'Declined' | 'Exited', role = 'Viewer' as const) => ({
  role,
  invitation,
});
const OWNER = { role: 'Owner', invitation: 'Accepted' } as const;
const NO_PART = 'User is not a part of your project';

const CASES: readonly [name: string, decide: () => unknown, expected: unknown][] = [
  ['a stranger is invited', () => decideInvitation(undefined), 'new'],
  ['who has declined is invited again', () => decideInvitation(place('Declined')), 'again'],
  ['who has left is invited again', () => decideInvitation(place('Exited')), 'again'],
  ['who is invited is invited again', () => decideInvitation(place('Pending')), 'again'],
  [
    'a member is not invited',
    () => decideInvitation(place('Accepted')),
    /^user is already a member of this project$/,
  ],
  ['an invitation is accepted', () => decideAnswer(place('Pending'), 'Accepted'), 'Accepted'],
  ['an invitation is declined', () => decideAnswer(place('Pending'), 'Declined'), 'Declined'],
  [
    'a declined one is not accepted',
    () => decideAnswer(place('Declined'), 'Accepted'),
    /^permission_denied:/,
  ],
  ['who has left does not come back', () => decideAnswer(place('Exited'), 'Accepted'), /^permission_denied:/],
  ['a stranger accepts nothing', () => decideAnswer(undefined, 'Accepted'), /^permission_denied:/],
  ['a member does not decline', () => decideAnswer(place('Accepted'), 'Declined'), /^permission_denied:/],
  ['a member leaves', () => decideLeave(place('Accepted'), 1), 'Exited'],
  ['an owner beside others leaves', () => decideLeave(OWNER, 1), 'Exited'],
  [
    'the last owner stays',
    () => decideLeave(OWNER, 0),
    /^Cannot leave project\. There must be at least one owner\.$/,
  ],
  ['who is only invited does not leave', () => decideLeave(place('Pending'), 1), /^permission_denied:/],
  ['an invitation is taken back', () => decideRemoval(place('Pending'), false), 'delete'],
  ['a member is removed', () => decideRemoval(place('Accepted'), false), 'exit'],
  ['an owner removes not oneself', () => decideRemoval(OWNER, true), /use Leave Project\.$/],
  ['who has left is not removed', () => decideRemoval(place('Exited'), false), new RegExp(`^${NO_PART}$`)],
  ['a role is changed', () => decideRoleChange(place('Accepted'), false), undefined],
  ['but not one’s own', () => decideRoleChange(OWNER, true), /^User cannot change their own role\.$/],
  ['and not a stranger’s', () => decideRoleChange(undefined, false), new RegExp(`^${NO_PART}$`)],
];

for (const [name, decide, expected] of CASES) {
  test(name, () => {
    if (expected instanceof RegExp) assert.throws(decide, { name: 'Refusal', message: expected });
    else assert.equal(decide(), expected);
  });
}

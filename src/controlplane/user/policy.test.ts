import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkEmail, checkPassword, checkUsername } from './policy.ts';

const CASES: readonly [check: (text: string) => void, text: string, error: string | undefined][] = [
  [checkPassword, 'Aa1@aaaa', undefined],
  [checkPassword, 'Aa1@aaa', 'password_policy_violation'],
  [checkPassword, `Aa1@${'a'.repeat(124)}`, undefined],
  [checkPassword, `Aa1@${'a'.repeat(125)}`, 'password_policy_violation'],
  [checkPassword, 'aa1@aaaa', 'password_policy_violation'],
  [checkPassword, 'AA1@AAAA', 'password_policy_violation'],
  [checkPassword, 'Aaa@aaaa', 'password_policy_violation'],
  [checkPassword, 'Aa1aaaaa', 'password_policy_violation'],
  [checkUsername, 'ann', undefined],
  [checkUsername, 'an', 'username_policy_violation'],
  [checkUsername, '.ann', 'username_policy_violation'],
  [checkUsername, 'ann b', 'username_policy_violation'],
  [checkUsername, 'ann@example.com', undefined],
  [checkUsername, 'a'.repeat(254), undefined],
  [checkUsername, 'a'.repeat(255), 'username_policy_violation'],
  [checkEmail, '', undefined],
  [checkEmail, 'ann@example.com', undefined],
  [checkEmail, 'ann', 'invalid email'],
  [checkEmail, 'ann@example.com\r\nBcc: x@example.com', 'invalid email'],
];

for (const [check, text, error] of CASES) {
  test(`${check.name} ${text.slice(0, 40)} (${text.length}): ${error ?? 'fine'}`, () => {
    if (error === undefined) check(text);
    else assert.throws(() => check(text), { name: 'Refusal', error });
  });
}

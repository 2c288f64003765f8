/** Quantities in expressions: `quantity("1Gi").isGreaterThan(quantity("500Mi"))`. */
import type { Environment } from '@marcbachmann/cel-js';
import { isQuantity, parseQuantity } from '@turnsole/kube/text/quantity';

const NANO = 1_000_000_000n;

class Amount {
  readonly nano: bigint;

  constructor(nano: bigint) {
    this.nano = nano;
  }
}

const TYPE = 'kubernetes.Quantity';

/** Adds the functions of quantities. */
export function addQuantities(environment: Environment): void {
  const read = (text: string): Amount => new Amount(parseQuantity(text).nano);
  const add = (a: Amount, b: Amount | bigint): Amount =>
    new Amount(a.nano + (typeof b === 'bigint' ? b * NANO : b.nano));
  const subtract = (a: Amount, b: Amount | bigint): Amount =>
    new Amount(a.nano - (typeof b === 'bigint' ? b * NANO : b.nano));
  const order = (a: Amount, b: Amount): bigint => (a.nano < b.nano ? -1n : a.nano > b.nano ? 1n : 0n);
  environment
    .registerType(TYPE, { ctor: Amount, fields: {} })
    .registerFunction(`quantity(string): ${TYPE}`, read)
    .registerFunction('isQuantity(string): bool', isQuantity)
    .registerOperator(`${TYPE} == ${TYPE}`, (a: Amount, b: Amount) => a.nano === b.nano)
    .registerFunction(`${TYPE}.sign(): int`, (a: Amount) => order(a, new Amount(0n)))
    .registerFunction(`${TYPE}.isInteger(): bool`, (a: Amount) => a.nano % NANO === 0n)
    .registerFunction(`${TYPE}.asInteger(): int`, (a: Amount) => a.nano / NANO)
    .registerFunction(`${TYPE}.asApproximateFloat(): double`, (a: Amount) => Number(a.nano) / Number(NANO))
    .registerFunction(`${TYPE}.isGreaterThan(${TYPE}): bool`, (a: Amount, b: Amount) => a.nano > b.nano)
    .registerFunction(`${TYPE}.isLessThan(${TYPE}): bool`, (a: Amount, b: Amount) => a.nano < b.nano)
    .registerFunction(`${TYPE}.compareTo(${TYPE}): int`, order)
    .registerFunction(`${TYPE}.add(${TYPE}): ${TYPE}`, add)
    .registerFunction(`${TYPE}.add(int): ${TYPE}`, add)
    .registerFunction(`${TYPE}.sub(${TYPE}): ${TYPE}`, subtract)
    .registerFunction(`${TYPE}.sub(int): ${TYPE}`, subtract);
}

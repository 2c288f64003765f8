/** Bounds of a binomial count that holds in all but one of a million runs (4.9 standard deviations, normal approximation). */
export function binomialBounds(count: number, probability: number): readonly [number, number] {
  const spread = 4.9 * Math.sqrt(count * probability * (1 - probability)) + 0.5;
  return [count * probability - spread, count * probability + spread];
}

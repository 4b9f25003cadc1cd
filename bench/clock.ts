/** Milliseconds since 1970 with a fraction, comparable between processes of one machine. */
export const wallClock = () => performance.timeOrigin + performance.now()

export const median = (numbers: number[]) => quantile(numbers, 0.5)
export const quantile = (numbers: number[], q: number) =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * q))] as number

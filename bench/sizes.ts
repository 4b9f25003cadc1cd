/*
 * How long and how large. Smaller for a quick look, as in BENCH_ROUNDS=1 BENCH_SECONDS=1 npm run bench postgres; what
 * differs from the usual is told in the lines that depend on it.
 */

const size = (name: string, usual: number) => Number(process.env[name] ?? usual)

/** Of one measurement of requests. */
export const SECONDS = size('BENCH_SECONDS', 3)
/** Of each contest; the ratio is their median. */
export const ROUNDS = size('BENCH_ROUNDS', 5)
/** Of a large installation. */
export const MANY_ROOMS = size('BENCH_ROOMS', 1_000_000)
/** Deliveries in a large log. */
export const MANY_LOGGED = size('BENCH_LOGGED', 1_000_000)
/** Events of one measurement of deliveries. */
export const EVENTS = size('BENCH_EVENTS', 6000)

export const withCommas = (number: number) => number.toLocaleString('en')

/** `npm run test:long`: the counts that show what a few cannot, in an hour instead of minutes. */
export const isLong = process.env.LECTERN_TEST_LONG === '1'

/**
 * Of what is tried in many places: in the short run one in four, beginning further on for each `turn`, so that everything
 * is tried somewhere and every place has had something.
 */
export const inTurn = <T>(places: T[], turn: number) =>
  isLong ? places : places.filter((_, index) => index % 4 === turn % 4)

/** `npm run test:long`: the counts that show what a few cannot, in an hour instead of minutes. */
export const isLong = process.env.LECTERN_TEST_LONG === '1'

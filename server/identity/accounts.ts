import { invalid, Problem } from '../http/problem.ts'
import type { AccountRefusal } from '../store/users.ts'

/** Why an account cannot be made, changed or deleted. */
export const accountProblems: Record<AccountRefusal, () => Problem> = {
  at_in_username: () => invalid('/username', 'may contain an @ only when it is the e-mail address of the same user'),
  email_taken: () => new Problem('email_taken', 'There is an account with this e-mail address already.'),
  username_taken: () => new Problem('username_taken', 'There is an account with this username already.'),
  owns_spaces: () => new Problem('owns_spaces', 'The user still owns spaces. Delete them or hand them over first.'),
  last_operator: () => new Problem('last_operator', 'The last operator cannot be deleted.'),
}

export const refuseAccount = (refusal: AccountRefusal | null) => {
  if (refusal) throw accountProblems[refusal]()
}

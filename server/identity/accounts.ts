import { invalid, Problem } from '../http/problem.ts'
import type { AccountRefusal } from '../store/users.ts'

/** Why an account cannot be made, changed or deleted. */
export const accountProblems: Record<AccountRefusal, () => Problem> = {
  at_in_username: () => invalid('/username', 'at_sign'),
  email_taken: () => new Problem('email_taken', 'An account with this email address already exists.'),
  username_taken: () => new Problem('username_taken', 'An account with this username already exists.'),
  external_id_taken: () => new Problem('external_id_taken', 'Another user has this external ID.'),
  owns_spaces: () => new Problem('owns_spaces', 'The user owns spaces. Delete them or transfer their ownership first.'),
  last_operator: () => new Problem('last_operator', 'You can’t delete the last operator.'),
}

export const refuseAccount = (refusal: AccountRefusal | null) => {
  if (refusal) throw accountProblems[refusal]()
}

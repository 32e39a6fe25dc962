import { defined } from '../core/defined.js'
import type { Reviewer } from '../core/people.js'

/** The variables that name a person as author and committer. Without an e-mail address, git's own settings give one. */
export function identity({ name, email }: Reviewer): Record<string, string> {
  return {
    GIT_AUTHOR_NAME: name,
    GIT_COMMITTER_NAME: name,
    ...defined({ GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_EMAIL: email }),
  }
}

import { homedir, userInfo } from 'node:os'

/** Returns the home directory in the system's user database, even if `HOME` differs. `HOME` for an unknown user. */
export function userHome(): string {
  try {
    return userInfo().homedir
  } catch {
    return homedir()
  }
}

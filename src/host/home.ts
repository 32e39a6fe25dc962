import { homedir, userInfo } from 'node:os'

/** The home directory as the system has it, whatever `HOME` says; a user that the system does not know has that of `HOME`. */
export function userHome(): string {
  try {
    return userInfo().homedir
  } catch {
    return homedir()
  }
}

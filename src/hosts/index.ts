/**
 * One profile for each host that escrowfs knows: what it is called, which of its settings lie where, what it keeps in a home
 * directory, how it asks about a tool call. The data enters here by hand, and leaves to every list of hosts there is: `escrow init`,
 * `doctor`, `hook`, the completion, the policy's protected paths, what commands find closed, what a mount shows of a home.
 *
 * To add a host: write its profile, enter it in `PROFILES` (`registry.ts`), and follow the compiler.
 *
 * Nothing here may read a file, start a program or import another room.
 */
export type { HomeHost, HostHook, HostName } from './profile.js'
export {
  HOME_HOSTS,
  HOSTS,
  homeOf,
  homeProfileOf,
  hostOfProgram,
  profileOf,
  providerHosts,
  providerOf,
} from './registry.js'

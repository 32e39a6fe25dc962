/**
 * One profile for each host that escrowfs knows: its name, the places of its settings, its files in a home directory, and how it
 * asks about a tool call. People write the profiles; every list of hosts derives from them: `escrow init`, `doctor`, `hook`, the
 * completion, the policy's protected paths, the paths closed to commands, and the parts of a home that a mount shows.
 *
 * To add a host: write its profile, enter it in `PROFILES` (`registry.ts`), and fix the compiler errors.
 *
 * This room reads no file, starts no program and imports no other room.
 */
export type { HomeHost, HostHook, HostName } from './profile.js'
export {
  HOME_HOSTS,
  HOSTS,
  homeOf,
  homeProfileOf,
  hostOfCommand,
  profileOf,
  providerHosts,
  providerOf,
} from './registry.js'

import { claude } from './claude.js'
import { cline } from './cline.js'
import { codex } from './codex.js'
import { gemini } from './gemini.js'
import { mcp } from './mcp.js'
import { opencode } from './opencode.js'
import type { HomeHost, HomeHostProfile, HostHome, HostName, HostProfile } from './profile.js'
import { roo } from './roo.js'

const PROFILES: Readonly<Record<HomeHost, HomeHostProfile> & Record<HostName, HostProfile>> = {
  claude,
  cline,
  codex,
  gemini,
  opencode,
  roo,
  mcp,
}

/** Every host, in the order in which people are asked about them. */
export const HOSTS = Object.keys(PROFILES).filter((name): name is HostName => name in PROFILES)
export const HOME_HOSTS = HOSTS.filter((name): name is HomeHost => 'home' in PROFILES[name])

export function profileOf(name: HostName): HostProfile {
  return PROFILES[name]
}

export function homeOf(name: HomeHost): HostHome {
  return PROFILES[name].home
}

/** Which host a program is, by its name; undefined for any other program. */
export function hostOfProgram(program: string): HomeHost | undefined {
  const name = program.slice(program.lastIndexOf('/') + 1)
  return HOME_HOSTS.find((host) => homeOf(host).programs.includes(name))
}

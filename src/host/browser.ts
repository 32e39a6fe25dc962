import { spawn } from 'node:child_process'
import { namesTree, ownEnv } from './search-path.js'

/** What opens an address on each system; elsewhere it is as on Linux. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/**
 * Opens an address in the person's browser, and does not wait for it. Where there is none, or where `BROWSER` names a program in
 * a workspace, nothing happens: say the address as well. The address can be read by every user of the machine, so nothing in
 * it may stay secret for long.
 */
export function openBrowser(address: string): void {
  const { BROWSER } = process.env
  if (BROWSER && namesTree(BROWSER) !== undefined) return
  const [program = 'xdg-open', ...args] = BROWSER ? [BROWSER] : (OPENERS[process.platform] ?? [])
  const opener = spawn(program, [...args, address], { stdio: 'ignore', detached: true, env: ownEnv(), cwd: '/' })
  opener.on('error', () => undefined)
  opener.unref()
}

import { spawn } from 'node:child_process'
import { namesTree, ownEnv } from './search-path.js'

/** The program that opens an address on each system; on others as on Linux. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/**
 * Opens an address in the person's browser, without waiting for it. Does nothing if there is no browser, or if
 * `BROWSER` names a program in a workspace, so print the address as well. Every user of the machine can read the
 * address, so a secret in it must be short-lived.
 */
export function openBrowser(address: string): void {
  const { BROWSER } = process.env
  if (BROWSER && namesTree(BROWSER) !== undefined) return
  const [program = 'xdg-open', ...args] = BROWSER ? [BROWSER] : (OPENERS[process.platform] ?? [])
  const opener = spawn(program, [...args, address], { stdio: 'ignore', detached: true, env: ownEnv(), cwd: '/' })
  opener.on('error', () => undefined)
  opener.unref()
}

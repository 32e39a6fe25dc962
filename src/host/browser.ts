import { spawn } from 'node:child_process'

/** What opens an address on each system; elsewhere it is as on Linux. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/**
 * Opens an address in the person's browser, and does not wait for it. Where there is none, nothing happens: say the address
 * as well. The address can be read by every user of the machine, so nothing in it may stay secret for long.
 */
export function openBrowser(address: string): void {
  const [program = 'xdg-open', ...args] = process.env.BROWSER
    ? [process.env.BROWSER]
    : (OPENERS[process.platform] ?? [])
  const opener = spawn(program, [...args, address], { stdio: 'ignore', detached: true })
  opener.on('error', () => undefined)
  opener.unref()
}

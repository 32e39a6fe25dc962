import { afterAll, vi } from 'vitest'

/**
 * After each suite: restores the environment, the directory, the file mode mask, the clock and the replaced functions of the process,
 * because the next suite runs in it.
 */
export function restoreAfterSuite(): void {
  const env = { ...process.env }
  const cwd = process.cwd()
  const mask = process.umask()
  afterAll(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
    vi.unstubAllGlobals()
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
    Object.assign(process.env, env)
    process.chdir(cwd)
    process.umask(mask)
  })
}

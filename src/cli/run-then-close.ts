/**
 * Runs work, and closes what it used. If both fail, it rejects with the error of the work, which came first and
 * explains more.
 */
export async function runThenClose<T>(work: () => Promise<T>, close: () => Promise<void>): Promise<T> {
  let result: T
  try {
    result = await work()
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
  await close()
  return result
}

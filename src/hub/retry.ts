import { setTimeout as sleep } from 'node:timers/promises'
import { isObject } from '../core/is-object.js'

/** `serialization_failure` and `deadlock_detected`: PostgreSQL asks for the same transaction again. */
const AGAIN = new Set(['40001', '40P01'])
const ATTEMPTS = 8
const LONGEST_MS = 200

/** Runs a transaction, and runs it again while the database asks for that. */
export async function retried<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (tries === ATTEMPTS || !isObject(error) || typeof error.code !== 'string' || !AGAIN.has(error.code))
        throw error
      await sleep(Math.random() * Math.min(LONGEST_MS, 2 ** tries))
    }
  }
}

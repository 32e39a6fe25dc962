import type { TestProject } from 'vitest/node'
import { ensureTools } from '../support/machine.js'
import { DEBIAN, findPostgres, startPostgres } from '../support/postgres.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address of a database whose owner is not a superuser. */
    hubDatabase: string
  }
}

/** Starts a PostgreSQL server, and removes it at the end. */
export default async function setup(project: TestProject): Promise<() => void> {
  if (findPostgres() === undefined) ensureTools(DEBIAN)
  const programs = findPostgres()
  if (programs === undefined) throw new Error(`PostgreSQL is missing: ${DEBIAN} has no initdb, nor has the PATH.`)
  const { url, stop } = await startPostgres(programs, false)
  project.provide('hubDatabase', url)
  return stop
}

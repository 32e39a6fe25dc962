import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect } from 'vitest'
import { FILES } from '../children/rounds.js'
import { fuzzSeed } from '../support/fuzz.js'
import { git, initRepository } from '../support/git.js'
import { type TestWorkspace, testWorkspace } from '../support/workspace.js'

/** A workspace that commits to git, in which children commit rounds of files and are killed. */
export interface GitRounds extends TestWorkspace {
  /** Runs git here. */
  run(...args: string[]): string
}

export function gitRounds(): GitRounds {
  const project = testWorkspace()
  mkdirSync(`${project.root}/src/deep`, { recursive: true })
  project.write('.orchestration/policy.yaml', 'commit: { git: true }\n')
  initRepository(project.root)
  return { ...project, run: (...args) => git(project.root, ...args).trimEnd() }
}

/** The round that the files, the branch and git's index all have. */
export function roundOf({ root, run }: GitRounds): number {
  const onDisk = FILES.map((path) => (existsSync(`${root}/${path}`) ? readFileSync(`${root}/${path}`, 'utf8') : ''))
  const [round = -1, ...others] = new Set(onDisk.map(roundIn))
  expect(others).toEqual([])
  const commits = run('log', '--format=%H', '--reverse').split('\n').slice(1)
  expect(commits.map((id) => roundIn(run('show', `${id}:${FILES[0]}`)))).toEqual(
    Array.from({ length: round }, (_, index) => index + 1),
  )
  if (round > 0) for (const path of FILES) expect(roundIn(run('show', `HEAD:${path}`))).toBe(round)
  expect(run('status', '--porcelain')).toBe('')
  return round
}

function roundIn(text: string): number {
  return Number(/^round (\d+)$/.exec(text.trimEnd())?.[1] ?? 0)
}

/** Runs a check once, with a value drawn by the seed of the run. A failure names the seed and the value. */
export async function onceWith<T>(values: fc.Arbitrary<T>, check: (value: T) => Promise<void>): Promise<void> {
  const parameters = { numRuns: 1, seed: fuzzSeed(), unbiased: true, endOnFailure: true }
  await fc.assert(fc.asyncProperty(values, check), parameters)
}

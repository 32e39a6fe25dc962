import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findHistories, knownPlaces } from '../../src/backtest/find-files.js'
import { cutTexts } from '../backtest/cut-texts.js'
import { expectedCalls, readAll } from '../backtest/history.js'
import { CLAUDE, CLINE, type ClientDriver, CODEX, GEMINI, OPENCODE, readyFixture, runPrompt } from './drivers.js'
import type { ClientFixture } from './fixture.js'
import { programOf } from './installed.js'
import { VERSIONS } from './versions.js'

/**
 * `escrow backtest` reads the histories of real clients. With `ESCROWFS_RECORD_HISTORIES=1` they replace those of
 * `test/fixtures/histories`, which suites without clients read.
 */

describe.each([CLAUDE, CODEX, GEMINI, OPENCODE, CLINE])('the history of $client', (driver) => {
  it('is read without a broken line, with each tool call of its model', async () => {
    const script = [driver.reads('src/a.ts'), driver.runs('ls src'), driver.writes('src/b.ts', 'export const b = 2\n')]
    const fixture = await readyFixture(driver, { script })
    const ended = await runPrompt(driver, fixture)
    expect([ended.code, ended.code === 0 ? '' : ended.err]).toEqual([0, ''])
    if (driver === OPENCODE) await exportSession(fixture, ended.out)
    const places = driver === OPENCODE ? [join(fixture.home, EXPORTED)] : knownPlaces(fixture.home)
    expect(places).toHaveLength(1)
    const { calls, counts } = readAll(...places)
    expect(calls.map(({ host, tool, cwd }) => [host, tool, cwd])).toEqual(expectedCalls(driver.client, fixture.root))
    expect(counts).toMatchObject({ broken: 0, skippedFiles: 0 })
    if (process.env.ESCROWFS_RECORD_HISTORIES !== undefined) record(driver, fixture, places)
  })
})

/** The output of `opencode export`, as a person stores it. */
const EXPORTED = 'export.json'

async function exportSession({ home, run }: ClientFixture, out: string): Promise<void> {
  const [session = ''] = /ses_\w+/.exec(out) ?? []
  const { out: text, err } = await run(programOf('opencode'), ['export', session])
  expect(text, err).toContain('{')
  writeFileSync(join(home, EXPORTED), text)
}

const REAL = join(import.meta.dirname, '../fixtures/histories')

/** Stores the history of a client, as if its person were Ada. */
function record({ client }: ClientDriver, { home, root }: ClientFixture, places: readonly string[]): void {
  const directory = join(REAL, `${client}-${VERSIONS[client].version}`)
  rmSync(directory, { recursive: true, force: true })
  const rename = (text: string) =>
    text
      .replaceAll(root, '/home/ada/shop')
      .replaceAll(home, '/home/ada')
      .replaceAll(root.replace(/[/.]/g, '-'), '-home-ada-shop')
  for (const { path } of findHistories(places)) {
    const to = join(directory, rename(relative(home, path)))
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, cutTexts(rename(readFileSync(path, 'utf8'))))
    const projectRootFile = join(dirname(path), '../.project_root')
    if (existsSync(projectRootFile))
      writeFileSync(join(dirname(to), '../.project_root'), rename(readFileSync(projectRootFile, 'utf8')))
  }
}

import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { layoutAt } from '../../src/os/workspace-state.js'
import { type Fold, foldLedger } from '../../src/trace/fold.js'
import { tempDir } from '../support/facade.js'

/** The ids of the records of one type. */
const IDS: Fold<string[]> = {
  words: ['wanted'],
  initial: () => [],
  add: (ids, { type, id }) => {
    if (type === 'wanted') ids.push(String(id))
  },
}

function newLedger() {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  mkdirSync(`${path}/.orchestration`)
  const { ledgerFile } = layoutAt(path)
  return { name: `${path}/.orchestration/agent_trace.jsonl`, ledgerFile }
}

const lineOf = (id: number, type = 'wanted') => `${JSON.stringify({ type, id })}\n`

type Step =
  | { readonly do: 'append'; readonly ids: readonly number[] }
  | { readonly do: 'append torn' | 'replace' | 'rewrite' | 'remove'; readonly ids: readonly number[] }

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom('append', 'append', 'append torn', 'replace', 'rewrite', 'remove'),
  ids: fc.array(fc.nat(99), { maxLength: 4 }),
})

it('each reading equals a full reading after each change of the file', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const { name, ledgerFile } = newLedger()
      const read = foldLedger(ledgerFile, IDS)
      for (const { do: what, ids } of steps) {
        const text = ids.map((id) => lineOf(id, id % 3 === 0 ? 'other' : 'wanted')).join('')
        if (what === 'append') appendFileSync(name, text)
        else if (what === 'append torn') appendFileSync(name, '{"type":"wan')
        else if (what === 'remove') rmSync(name, { force: true })
        else if (what === 'rewrite') writeFileSync(name, text)
        else {
          writeFileSync(`${name}.new`, text)
          renameSync(`${name}.new`, name)
        }
        const whole = attempt(foldLedger(ledgerFile, IDS))
        expect(attempt(read)).toEqual(whole)
      }
    }),
    { numRuns: 200 },
  )
})

/** The ids, or the message of the error: a torn line followed by another one is damage. */
function attempt(read: () => string[]): unknown {
  try {
    return [...read()]
  } catch (error) {
    return error instanceof Error ? error.message : error
  }
}

it('only lines with one of its words are parsed, and each once', () => {
  const { name, ledgerFile } = newLedger()
  let parsed = 0
  const read = foldLedger(ledgerFile, { words: ['wanted'], initial: () => 0, add: () => void parsed++ })
  writeFileSync(name, lineOf(1) + lineOf(2, 'other'))
  read()
  appendFileSync(name, lineOf(3))
  read()
  read()
  expect(parsed).toBe(2)
})

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { project } from './reader.js'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'escrowfs-prose-'))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

function checkProse(text: string): { status: number | null; findings: string[] } {
  const page = `${folder}/page.md`
  fs.writeFileSync(page, text)
  const { status, stderr } = spawnSync(process.execPath, ['scripts/check-prose.mjs', page], {
    cwd: project,
    encoding: 'utf8',
  })
  return { status, findings: stderr.replaceAll(`${page}:`, '').trimEnd().split('\n') }
}

it('finds wordy phrases and repeated words, with their lines', () => {
  expect(checkProse('# Page\n\nThis is fine.\nWe utilize the the disk.\n')).toEqual({
    status: 1,
    findings: ['4: "utilize" is wordy or unneeded', '4: "the" is repeated'],
  })
})

it('finds a sentence with a question word as its subject, but not a question', () => {
  expect(checkProse('What nobody read is refused.\n').findings).toEqual([
    '1: "What" begins a clause that is the subject: write a noun',
  ])
  expect(checkProse('What is refused? A file that nobody read.\n').status).toBe(0)
})

it('skips code and generated tables', () => {
  const page = '```\nutilize\n```\n\nRun `in order to` now.\n\n<!-- generated: x -->\n\n| utilize |\n\n<!-- end -->\n'
  expect(checkProse(page)).toEqual({ status: 0, findings: [''] })
})

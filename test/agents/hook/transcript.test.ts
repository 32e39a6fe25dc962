import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { modelInTranscript } from '../../../src/agents/hook/transcript.js'
import { tempDir } from '../../support/facade.js'

function dir(): string {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  return path
}

function transcript(...lines: readonly object[]): string {
  const file = join(dir(), 'transcript.jsonl')
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return file
}

it('returns the model of the last message, as Claude Code and Gemini CLI name it', () => {
  const claude = (model: string) => ({ type: 'assistant', message: { role: 'assistant', model, content: [] } })
  expect(modelInTranscript(transcript(claude('claude-a'), { type: 'user' }, claude('claude-b')))).toBe('claude-b')
  expect(modelInTranscript(transcript({ type: 'gemini', model: 'gemini-x' }))).toBe('gemini-x')
  expect(modelInTranscript(transcript(claude('claude-a'), claude('<synthetic>')))).toBe('claude-a')
})

it('ignores model names in texts of people and the agent', () => {
  const message = { type: 'user', message: { content: 'set {"model":"other"} in the file' } }
  expect(modelInTranscript(transcript({ type: 'gemini', model: 'gemini-x' }, message))).toBe('gemini-x')
  expect(modelInTranscript(transcript(message))).toBeUndefined()
})

it('reads only the end, and ignores special files', () => {
  const long = { type: 'user', text: 'x'.repeat(70_000) }
  expect(modelInTranscript(transcript({ type: 'gemini', model: 'gemini-x' }, long))).toBeUndefined()
  const folder = join(dir(), 'folder')
  mkdirSync(folder)
  for (const path of [undefined, folder, join(folder, 'none'), '/dev/null'])
    expect(modelInTranscript(path)).toBeUndefined()
})

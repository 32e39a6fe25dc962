import { createHash } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { WireBlame } from '../../src/web/wire.js'
import { FILES } from './scene.js'
import { setUp } from './setup.js'

it('blame marks lines whose records this machine has not anchored', async () => {
  const content = 'export const one = 1\n'
  const { ask, project } = await setUp({ files: { ...FILES, 'src/one.ts': content } })
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`
  const record = { id: 'R', file: 'src/one.ts', model_identifier: 'm', content_hash: digest }
  appendFileSync(`${project.root}/.orchestration/agent_trace.jsonl`, `${JSON.stringify(record)}\n`)
  const { lines } = (await ask('/api/blame?path=src/one.ts')).json<WireBlame>()
  expect(lines).toMatchObject([{ who: 'm', unanchored: true }])
})

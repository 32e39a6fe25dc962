import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { testCases } from '../../src/backtest/index.js'
import { isObject } from '../../src/core/is-object.js'
import { readPolicy } from '../../src/policy/policy-read.js'
import { policySchema } from '../../src/policy/policy-schema.js'
import { project } from './reader.js'
import { blocksOf } from './readme-blocks.js'

const text = fs.readFileSync(`${project}docs/policy.md`, 'utf8')

/** Every key with a value, such as `approval.merge`. */
function keysOf(schema: unknown): string[] {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {}
  return Object.entries(properties).flatMap(([name, each]) => {
    const below = keysOf(each)
    return below.length === 0 ? [name] : below.map((key) => `${name}.${key}`)
  })
}

describe('docs/policy.md', () => {
  it('has a row for exactly the keys of policy.yaml', () => {
    const rows = [...text.matchAll(/^\| `([\w.]+)` +\|/gm)].map((match) => match[1])
    expect([...rows].sort()).toEqual(keysOf(z.toJSONSchema(policySchema)).sort())
  })

  it('shows a valid file', () => {
    const [yaml, cases, ...others] = blocksOf(text)
    expect([cases?.text.split('\n')[0], others]).toEqual(['# cases/builds.yaml', []])
    const { problem, rules } = readPolicy('/home/ada/shop', { kind: 'bytes', bytes: Buffer.from(yaml?.text ?? '') })
    expect(problem).toBeUndefined()
    expect(rules?.access.find('src/.env.local')?.value).toBe('hidden')
  })

  it('shows cases that the rules of the page pass', async () => {
    const [, cases] = blocksOf(text)
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'escrow-cases-'))
    onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }))
    fs.writeFileSync(`${folder}/builds.yaml`, cases?.text ?? '')
    const policy = 'terminal: { classes: { destructive: ask, other: allow } }\n'
    expect((await testCases(folder, { policy })).map(({ passed }) => passed)).toEqual([true, true, true])
  })
})

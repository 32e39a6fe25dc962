import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readIntents } from '../../src/intents/schema.js'
import { readYaml } from '../../src/os/yaml.js'
import { project, typeAll, useReader } from './reader.js'
import { blocksOf } from './readme-blocks.js'

const text = fs.readFileSync(`${project}docs/acceptance.md`, 'utf8')
const blocks = blocksOf(text)

const reader = useReader()

describe('docs/acceptance.md', () => {
  it('works as written, typed from top to bottom', () => {
    typeAll(
      blocks.filter(({ language }) => language !== 'yaml'),
      reader.home,
    )
    expect(fs.readFileSync(`${reader.home}/shop/src/price.js`, 'utf8')).toContain('1.5')
  })

  it('shows a valid file, with each key of a check in the table', () => {
    const [block] = blocks.filter(({ language }) => language === 'yaml')
    const yaml = readYaml(Buffer.from(block?.text ?? ''))
    const read = yaml.ok ? readIntents(yaml.file) : yaml
    const checks = read.ok ? [...read.value.intents.values()].flatMap((intent) => intent.checks) : []
    expect(checks).toEqual([{ run: 'npm test', paths: ['src/**'], timeout: 300, network: ['registry.npmjs.org'] }])
    for (const key of Object.keys(checks[0] ?? {})) expect(text).toMatch(new RegExp(`^\\| \`${key}\` `, 'm'))
  })
})

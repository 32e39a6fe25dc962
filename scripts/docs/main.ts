import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { generated } from './generated.js'
import { REPOSITORY } from './sources.js'

/** Writes the documents that are made: npm run docs */
for (const [name, text] of await generated()) {
  const file = join(REPOSITORY, name)
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  process.stdout.write(`written  ${name}\n`)
}

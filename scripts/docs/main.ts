import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { generateDocuments } from './generated.js'
import { messagesPage } from './messages.js'
import { REPOSITORY } from './sources.js'

/** Writes the generated documents: npm run docs. Prints every message of the source: npm run docs -- messages. */
if (process.argv[2] === 'messages') process.stdout.write(messagesPage())
else await writeDocuments()

async function writeDocuments(): Promise<void> {
  for (const [name, text] of await generateDocuments()) {
    const file = join(REPOSITORY, name)
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    process.stdout.write(`written  ${name}\n`)
  }
}

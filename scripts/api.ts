// `npm run api` writes the public API to docs/api/. `npm run api -- --check` fails if docs/api/ differs from dist/.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compareApi } from './api-report.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const { reports, orphans, differences } = compareApi(root)

if (!process.argv.includes('--check')) {
  const folder = join(root, 'docs', 'api')
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of reports) writeFileSync(join(folder, name), text)
  if (orphans.length > 0) fail(`The package has no entry for ${orphans.join(', ')}. Remove it.`)
} else if (differences.length > 0)
  fail(
    `What the package exports has changed:\n${differences.join('\n')}\nIf this is intended: npm run build && npm run api`,
  )

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}

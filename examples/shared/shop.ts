import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const FILES = {
  'src/price.js': 'export const price = (net) => net\n',
  'billing/invoice.js': 'export const invoice = []\n',
  'migrations/000.sql': 'create table prices (net integer);\n',
  '.orchestration/active_intents.yaml': `active_intents:
  - id: INT-001
    name: Show prices with tax
    owned_scope: [src/**, migrations/**]
    constraints: [Prices stay whole cents]
`,
  '.orchestration/policy.yaml': `access:
  migrations: ask
`,
}

/** The task of each example's model. */
export const TASK = 'Show prices with 20 % tax, and note it in migrations/001.sql.'

/** A small project in a temporary directory, with one intent. */
export function makeShop(): { readonly root: string; remove(): void } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'escrowfs-shop-')))
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) }
}

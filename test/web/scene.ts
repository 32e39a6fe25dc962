import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { deflateSync } from 'node:zlib'
import type { Session, Workspace } from '../../src/index.js'
import { needsTrust, trust } from '../support/trust.js'

/** A small shop and an agent's changes to it: for tests and screenshots of the page. */

export const INTENTS = `active_intents:
  - id: INT-007
    name: Prices in cents
    status: IN_PROGRESS
    owned_scope: ["src/**", "assets/**", "docs/prices.md"]
    constraints: [Money is integers, No new dependency]
    acceptance_criteria: [Totals of a cart add up to the cent]
  - id: INT-008
    name: Mail on dispatch
    status: PENDING
    owned_scope: ["mail/**"]
    constraints: [One mail an order]
`

const CART = `import { tax } from './tax.js'

export interface Item {
  name: string
  price: number
  count: number
}

/** What all of it costs, with tax. */
export function total(items: Item[]): number {
  let sum = 0
  for (const item of items) {
    sum += item.price * item.count
  }
  return sum + tax(sum)
}

export function isEmpty(items: Item[]): boolean {
  return items.length === 0
}

export function describe(item: Item): string {
  return item.name + ': ' + item.price
}
`

export const FILES: Readonly<Record<string, string>> = {
  '.orchestration/active_intents.yaml': INTENTS,
  '.orchestration/policy.yaml': 'access:\n  src/legacy: ask\n',
  'src/cart.ts': CART,
  'src/tax.ts': `/** Nineteen in a hundred. */\nexport function tax(sum: number): number {\n  return sum * 0.19\n}\n`,
  'src/money.ts': `export function format(value: number): string {\n  return value.toFixed(2)\n}\n`,
  'src/old-prices.ts': 'export const prices = [1.99, 2.49]\n',
  'src/legacy/import.ts': 'export {}\n',
  'docs/prices.md': '# Prices\n\nPrices are decimals.\nThey have two places.\n',
  'mail/send.ts': 'export {}\n',
}

const NEW_CART = CART.replace('price: number', '/** Cents. */\n  price: number')
  .replace('with tax. */', 'with tax, in cents. */')
  .replace(
    '  let sum = 0\n  for (const item of items) {\n    sum += item.price * item.count\n  }\n',
    '  const sum = items.reduce((all, item) => all + item.price * item.count, 0)\n',
  )
  .replace("item.name + ': ' + item.price", `\`\${item.name}: \${format(item.price)}\``)
  .replace("from './tax.js'\n", "from './tax.js'\nimport { format } from './money.js'\n")

export function writeFiles(root: string, files: Readonly<Record<string, string>> = FILES): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(`${root}/${path}`), { recursive: true })
    writeFileSync(`${root}/${path}`, text)
    if (needsTrust(path)) trust(root)
  }
}

/** An agent that works on the prices. */
export async function openAgent(workspace: Workspace, id = 'cents'): Promise<Session> {
  const session = await workspace.session({ id, agent: { model: 'anthropic/claude-sonnet-4.5', tool: 'cline' } })
  await session.selectIntent('INT-007')
  return session
}

/** The agent's work: changes, a deletion, an image, a wrongly declared class, a question. */
export async function runAgent(root: string, session: Session): Promise<void> {
  const { fs } = session
  const at = (path: string) => `${root}/${path}`
  const call = (id: string, declares: 'AST_REFACTOR' | 'INTENT_EVOLUTION', run: () => void) =>
    session.toolCall({ tool: 'write_to_file', kind: 'edit', id, declares }, async () => run())
  await call('c1', 'INTENT_EVOLUTION', () => fs.writeFileSync(at('src/cart.ts'), NEW_CART))
  await call('c2', 'AST_REFACTOR', () =>
    fs.writeFileSync(
      at('src/tax.ts'),
      `/** Nineteen in a hundred, to the cent. */\nexport function tax(sum: number): number {\n  return Math.round(sum * 0.19)\n}\n`,
    ),
  )
  await call('c1', 'INTENT_EVOLUTION', () => {
    fs.writeFileSync(
      at('src/money.ts'),
      `/** \`1299\` is \`12.99\`. */\nexport function format(cents: number): string {\n  return (cents / 100).toFixed(2)\n}\n`,
    )
    fs.rmSync(at('src/old-prices.ts'))
    fs.writeFileSync(
      at('docs/prices.md'),
      '# Prices\n\nPrices are integers, in cents.\nThey are shown with two places.\n',
    )
    fs.mkdirSync(at('assets'))
    fs.writeFileSync(at('assets/coin.png'), coin())
  })
  await session.requestScope(['test/**'], 'The totals need a test of their own.')
  await session.flush()
}

/** Creates a small image of a coin. */
export function coin(size = 96): Buffer {
  const rows = Buffer.alloc((size * 4 + 1) * size)
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      const away = Math.hypot(x - size / 2, y - size / 2) / (size / 2)
      const at = y * (size * 4 + 1) + 1 + x * 4
      const shade = away < 0.72 ? 0 : 40
      if (away < 0.95) rows.set([232 - shade, 178 - shade, 60, 255], at)
    }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(size, 0)
  head.writeUInt32BE(size, 4)
  head.set([8, 6, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

function crc32(bytes: Buffer): number {
  let crc = ~0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}

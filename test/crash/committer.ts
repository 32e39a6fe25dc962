/** A process that commits in a loop until it is killed: round r gives every file the content r. Args: root. */
import { appendFileSync, existsSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { commitEntries } from '../../src/commit/index.js'
import { layoutOf } from '../../src/core/layout.js'
import { turn } from '../commit/kit.js'

export const FILES = Array.from({ length: 6 }, (_, i) => `d${i % 3}/f${i}.txt`)

export function entriesOf(round: number): ReturnType<typeof turn>[] {
  const thing = (r: number) => (r === 0 ? null : { file: `${r}` })
  return FILES.map((path) => turn(path, thing(round - 1), thing(round)))
}

/** A ledger of lines, one id a line. */
export function ledgerAt(file: string): { ids(): string[]; append(record: Record<string, unknown>): Promise<void> } {
  const ids = () =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
      : []
  return {
    ids,
    append: async (record) => {
      if (!ids().includes(String(record.id))) appendFileSync(file, `${String(record.id)}\n`)
    },
  }
}

async function main(root: string, from: number): Promise<void> {
  const layout = layoutOf(root)
  const { append } = ledgerAt(join(root, '.orchestration', 'ledger.txt'))
  for (let round = from; ; round += 1) {
    const records = () => [{ id: `round-${round}` }]
    await commitEntries({ layout, sessionId: 's', entries: entriesOf(round), gate: () => undefined, records, append })
    writeSync(1, `${round}\n`)
  }
}

const [root, from] = process.argv.slice(2)
if (process.argv[1]?.endsWith('committer.ts') && root !== undefined) await main(root, Number(from))

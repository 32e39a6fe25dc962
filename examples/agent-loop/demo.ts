import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { acceptFiles, approver, reviewAndCommit } from '../shared/person.js'
import { makeShop, TASK } from '../shared/shop.js'
import { runAgent } from './agent.js'
import { scriptedModel } from './model.js'

/** Runs the loop with a scripted model on a temporary project, then a person's review. */
export async function main(print: (line: string) => void): Promise<void> {
  const shop = makeShop()
  try {
    await acceptFiles(shop.root)
    const read: string[] = []
    print(await runAgent(shop.root, TASK, scriptedModel(read), approver))
    for (const text of read) print(`the model read: ${text.trimEnd()}`)
    await reviewAndCommit(shop.root, 'agent-1', print)
  } finally {
    shop.remove()
  }
}

if (realpathSync(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) await main(console.log)

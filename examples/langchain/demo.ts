import { fileURLToPath } from 'node:url'
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { openWorkspace } from 'escrowfs'
import { approver, reviewAndCommit } from '../shared/person.js'
import { CALLS, LAST_WORDS } from '../shared/script.js'
import { makeShop, TASK } from '../shared/shop.js'
import { escrowTools } from './tools.js'

/** In your agent: `new ChatOpenAI(…)`, `new ChatAnthropic(…)`. */
function scriptedModel() {
  const model = fakeModel()
  for (const [turn, { name, args }] of CALLS.entries()) model.respondWithTools([{ name, args, id: `call-${turn}` }])
  return model.respond(new AIMessage(LAST_WORDS))
}

export async function main(say: (line: string) => void): Promise<void> {
  const shop = makeShop()
  const workspace = await openWorkspace(shop.root, { approver })
  try {
    const session = await workspace.session({ id: 'agent-1', agent: { tool: 'langchain', model: 'scripted-1' } })
    const { xml } = await session.selectIntent('INT-001')
    const tools = escrowTools(session)
    const model = scriptedModel().bindTools([...tools])
    const messages: BaseMessage[] = [new SystemMessage(xml), new HumanMessage(TASK)]
    for (;;) {
      const reply = await model.invoke(messages)
      messages.push(reply)
      if (reply.tool_calls === undefined || reply.tool_calls.length === 0) break
      for (const call of reply.tool_calls) {
        const found = tools.find(({ name }) => name === call.name)
        if (found === undefined) throw new Error(`There is no tool '${call.name}'.`)
        const result = await found.invoke({ ...call, type: 'tool_call' })
        say(`the model read: ${result.text.trimEnd()}`)
        messages.push(result)
      }
    }
    say(messages.at(-1)?.text ?? '')
    await session.close()
    await reviewAndCommit(shop.root, 'agent-1', say)
  } finally {
    await workspace.close()
    shop.remove()
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(console.log)

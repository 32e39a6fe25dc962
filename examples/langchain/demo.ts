import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import type { StructuredToolInterface } from '@langchain/core/tools'
import { openWorkspace } from 'escrowfs'
import { acceptFiles, approver, reviewAndCommit } from '../shared/person.js'
import { CALLS, LAST_REPLY } from '../shared/script.js'
import { makeShop, TASK } from '../shared/shop.js'
import { escrowTools } from './tools.js'

/** In your agent: `new ChatOpenAI(…)`, `new ChatAnthropic(…)`. */
function scriptedModel() {
  const model = fakeModel()
  for (const [turn, { name, args }] of CALLS.entries()) model.respondWithTools([{ name, args, id: `call-${turn}` }])
  return model.respond(new AIMessage(LAST_REPLY))
}

export async function main(print: (line: string) => void): Promise<void> {
  const shop = makeShop()
  await acceptFiles(shop.root)
  const workspace = await openWorkspace(shop.root, { approver })
  try {
    const session = await workspace.session({ id: 'agent-1', agent: { tool: 'langchain', model: 'scripted-1' } })
    const { xml } = await session.selectIntent('INT-001')
    const tools: Record<string, StructuredToolInterface> = escrowTools(session)
    const model = scriptedModel().bindTools(Object.values(tools))
    const messages: BaseMessage[] = [new SystemMessage(xml), new HumanMessage(TASK)]
    for (;;) {
      const reply = await model.invoke(messages)
      messages.push(reply)
      if (reply.tool_calls === undefined || reply.tool_calls.length === 0) break
      for (const call of reply.tool_calls) {
        const content = await tools[call.name]?.invoke(call.args)
        print(`the model read: ${content?.trimEnd()}`)
        messages.push(new ToolMessage({ content: content ?? 'There is no such tool.', tool_call_id: call.id ?? '' }))
      }
    }
    print(messages.at(-1)?.text ?? '')
    await session.close()
    await reviewAndCommit(shop.root, 'agent-1', print)
  } finally {
    await workspace.close()
    shop.remove()
  }
}

if (realpathSync(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) await main(console.log)

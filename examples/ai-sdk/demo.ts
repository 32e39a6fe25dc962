import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { generateText, stepCountIs } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { openWorkspace } from 'escrowfs'
import { acceptFiles, approver, reviewAndCommit } from '../shared/person.js'
import { CALLS, LAST_REPLY } from '../shared/script.js'
import { makeShop, TASK } from '../shared/shop.js'
import { escrowTools } from './tools.js'

const USAGE = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
}

/** In your agent: `openai('…')`, `anthropic('…')`. */
function scriptedModel() {
  const calls = CALLS.map(({ name, args }, turn) => ({
    content: [{ type: 'tool-call' as const, toolCallId: `call-${turn}`, toolName: name, input: JSON.stringify(args) }],
    finishReason: { unified: 'tool-calls' as const, raw: undefined },
    usage: USAGE,
    warnings: [],
  }))
  const end = {
    content: [{ type: 'text' as const, text: LAST_REPLY }],
    finishReason: { unified: 'stop' as const, raw: undefined },
    usage: USAGE,
    warnings: [],
  }
  return new MockLanguageModelV3({ modelId: 'scripted-1', doGenerate: [...calls, end] })
}

export async function main(print: (line: string) => void): Promise<void> {
  const shop = makeShop()
  await acceptFiles(shop.root)
  const workspace = await openWorkspace(shop.root, { approver })
  try {
    const session = await workspace.session({ id: 'agent-1', agent: { tool: 'ai-sdk', model: 'scripted-1' } })
    const { xml } = await session.selectIntent('INT-001')
    const { text, steps } = await generateText({
      model: scriptedModel(),
      system: xml,
      prompt: TASK,
      tools: escrowTools(session),
      stopWhen: stepCountIs(20),
    })
    print(text)
    for (const { output } of steps.flatMap(({ toolResults }) => toolResults))
      print(`the model read: ${String(output).trimEnd()}`)
    await session.close()
    await reviewAndCommit(shop.root, 'agent-1', print)
  } finally {
    await workspace.close()
    shop.remove()
  }
}

if (realpathSync(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) await main(console.log)

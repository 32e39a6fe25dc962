import { describe, expect, it } from 'vitest'
import type { Prompts } from '../../../src/cli/prompts.js'
import { chooseIntent, findPrompt, type IntentChoice } from '../../../src/cli/start/intent.js'
import type { Intent } from '../../../src/index.js'

function intent(id: string): Intent {
  return {
    id,
    name: `Name of ${id}`,
    status: 'PENDING',
    ownedScope: [],
    constraints: [],
    acceptanceCriteria: [],
    checks: [],
    dependsOn: [],
  } as unknown as Intent
}

const NONE: IntentChoice = { isNewTask: false, selectable: [], scope: ['src/**'] }

/** Answers each question, and records it. */
function person(answer: string | undefined) {
  const questions: string[] = []
  const prompts: Prompts = {
    confirm: async () => undefined,
    multiselect: async () => undefined,
    select: async (question, choices) => {
      questions.push(question)
      return choices.find(({ value }) => value === answer)?.value
    },
    text: async (question) => {
      questions.push(question)
      return answer
    },
    password: async () => undefined,
  }
  return { asking: prompts, questions }
}

describe('the intent of a started agent', () => {
  it('is the named one, else the selected one, else the only open one, without a question', async () => {
    const all = { ...NONE, active: intent('INT-002'), selectable: [intent('INT-001'), intent('INT-002')] }
    expect(await chooseIntent({ ...all, named: 'INT-003' }, undefined, 'claude')).toEqual({ id: 'INT-003' })
    expect(await chooseIntent({ ...all, task: 'a b' }, undefined, 'claude')).toEqual({ id: 'INT-002' })
    const one = { ...NONE, selectable: [intent('INT-001')] }
    expect(await chooseIntent(one, undefined, 'claude')).toEqual({ id: 'INT-001' })
  })

  it('is a new one from the prompt if none is open, and always with --task', async () => {
    const add = { name: 'Fix the tax', ownedScope: ['src/**'] }
    expect(await chooseIntent({ ...NONE, task: 'Fix the tax\nand more' }, undefined, 'claude')).toEqual({ add })
    const others = { ...NONE, active: intent('INT-001'), selectable: [intent('INT-001')], isNewTask: true }
    expect(await chooseIntent({ ...others, task: 'Fix the tax' }, undefined, 'claude')).toEqual({ add })
  })

  it('is an open one that an earlier run declared with the same task and scope', async () => {
    const mine = { ...intent('INT-002'), name: 'Fix the tax', ownedScope: ['src/**'] }
    const choose = (left: Intent, scope = ['src/**']) =>
      chooseIntent(
        { ...NONE, isNewTask: true, task: 'Fix the tax', selectable: [intent('INT-001'), left], scope },
        undefined,
        'claude',
      )
    expect(await choose(mine)).toEqual({ id: 'INT-002' })
    expect(await choose(mine, ['src/**', 'test/**'])).toHaveProperty('add')
    expect(await choose({ ...mine, alsoWithin: ['src/a/**'] })).toHaveProperty('add')
    expect(await choose({ ...mine, constraints: ['No new dependency.'] })).toHaveProperty('add')
  })

  it('has a name of one line, truncated if it is long', async () => {
    const chosen = await chooseIntent({ ...NONE, task: `${'x'.repeat(80)} y` }, undefined, 'claude')
    expect(chosen).toEqual({ add: { name: `${'x'.repeat(71)}…`, ownedScope: ['src/**'] } })
  })

  it('is requested once: as text if none is open, as a choice among several', async () => {
    const ada = person('Fix the tax')
    const add = { name: 'Fix the tax', ownedScope: ['src/**'] }
    expect(await chooseIntent(NONE, ada.asking, 'claude')).toEqual({ add })
    expect(ada.questions).toHaveLength(1)
    const ben = person('INT-002')
    const several = { ...NONE, selectable: [intent('INT-001'), intent('INT-002')] }
    expect(await chooseIntent(several, ben.asking, 'claude')).toEqual({ id: 'INT-002' })
    expect(ben.questions).toHaveLength(1)
    expect(await chooseIntent(several, person(undefined).asking, 'claude')).toBeUndefined()
  })

  it('is an error with a hint if nobody can be asked', async () => {
    await expect(chooseIntent(NONE, undefined, 'claude')).rejects.toMatchObject({
      hint: expect.stringContaining('--task'),
    })
    const several = { ...NONE, selectable: [intent('INT-001'), intent('INT-002')] }
    await expect(chooseIntent(several, undefined, 'claude')).rejects.toMatchObject({
      hint: 'Name one: --intent. There are: INT-001, INT-002.',
    })
  })

  it("is named after the prompt among the agent's arguments", () => {
    expect(findPrompt(['-p', 'Fix the tax', '--model', 'x'])).toBe('Fix the tax')
    expect(findPrompt(['exec', '--json', 'Fix it'])).toBe('Fix it')
    expect(findPrompt(['--continue', 'resume'])).toBeUndefined()
  })
})

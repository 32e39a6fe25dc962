import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { askForWorkspace } from '../../src/cli/init-questions.js'
import type { Prompts } from '../../src/cli/prompts.js'
import { workspaceDir } from './harness.js'

/** The scope that the questions propose in a directory. */
async function proposedIn(root: string): Promise<string | undefined> {
  let proposed: string | undefined
  const prompts: Partial<Prompts> = {
    multiselect: async () => [],
    text: async (_, { initial } = {}) => {
      proposed = initial
      return initial ?? 'A task'
    },
  }
  await askForWorkspace(prompts as Prompts, [], root)
  return proposed
}

it('proposes src only if there is one', async () => {
  const root = workspaceDir()
  expect(await proposedIn(root)).toBe('**')
  mkdirSync(join(root, 'src'))
  expect(await proposedIn(root)).toBe('src/**')
})

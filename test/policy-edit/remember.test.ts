import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type AccessRule, rememberRule } from '../../src/policy-edit/remember-rule.js'
import { testWorkspace } from '../intents/workspace.js'
import { trust } from '../support/trust.js'

type Answer = 'allow' | 'subtree' | 'deny'

function answering(policy?: string) {
  const { layout } = testWorkspace('active_intents: []\n')
  if (policy !== undefined) fs.writeFileSync(`${layout.policyFile}`, policy)
  trust(layout.root)
  return {
    layout,
    text: () => fs.readFileSync(`${layout.policyFile}`, 'utf8'),
    answer: (path: string, answer: Answer): Promise<AccessRule> =>
      rememberRule(layout, { path, rule: 'any' }, { answer }),
  }
}

const POLICY = `# ours
access:
  src/**: ask # careful
  "**/*.sql": ask
limits:
  files: 3 # few
`

describe('an answer as a rule', () => {
  it.each<[Answer, string, string]>([
    ['allow', 'src/a.ts', '  src/a.ts: allow\n'],
    ['deny', 'src/a.ts', '  src/a.ts: read-only\n'],
    ['subtree', 'src/lib/a.ts', '  src/lib: allow\n'],
    ['allow', 'db/x.sql', '  db/x.sql: allow\n'],
    ['allow', 'src/[id]*.tsx', '  src/[[]id][*].tsx: allow\n'],
    ['allow', 'src/ a: b#', '  "src/ a: b#": allow\n'],
  ])('%s for %s comes behind the others, and comments stay', async (word, path, line) => {
    const { answer, text } = answering(POLICY)
    await answer(path, word)
    expect(text()).toBe(POLICY.replace('limits:', `${line}limits:`))
  })

  it('for what a rule names already changes the word of that rule', async () => {
    const { answer, text } = answering(POLICY)
    await answer('src/a.ts', 'subtree')
    expect(text()).toBe(POLICY.replace('src/**: ask', 'src/**: allow'))
    await answer('src/a.ts', 'deny')
    await answer('src/a.ts', 'allow')
    expect(text()).toContain('  src/a.ts: allow\n')
  })

  it.each([
    ['no file', undefined],
    ['an empty map', '# ours\naccess: {} # none\n'],
    ['a key with nothing', 'access: # none\nlimits: {files: 1} # few\n'],
    ['other keys', 'limits: {files: 1} # few\n'],
    ['Windows line ends', POLICY.replaceAll('\n', '\r\n')],
  ])('is written where there was %s', async (_, policy) => {
    const { answer, text } = answering(policy)
    expect(await answer('a/b.ts', 'allow')).toEqual({ path: 'a/b.ts', word: 'allow' })
    expect(text()).toContain('a/b.ts')
    for (const comment of policy?.match(/#.*/g) ?? []) expect(text()).toContain(comment.trimEnd())
    await answer('a/c.ts', 'deny')
    expect(text()).toMatch(/a\/b\.ts"?: allow\r?\n {2}a\/c\.ts: read-only/)
  })

  it('is not written where a more specific one would go on asking', async () => {
    const { answer, text } = answering(POLICY)
    await expect(answer('db/x.sql', 'subtree')).rejects.toMatchObject({
      reason: 'unsupported',
      message: expect.stringContaining('`**/*.sql: ask` is more specific'),
    })
    expect(text()).toBe(POLICY)
  })

  it('opens no directory that another rule closes', async () => {
    const policy = 'access:\n  src: deny\n  src/a.ts: ask\n'
    const { answer, text } = answering(policy)
    await expect(answer('src/a.ts', 'subtree')).rejects.toMatchObject({
      reason: 'unsupported',
      message: expect.stringContaining('`src: deny`'),
    })
    expect(text()).toBe(policy)
    await answer('src/a.ts', 'allow')
    expect(text()).toBe(policy.replace('ask', 'allow'))
  })

  it('is not written where a rule cannot name the path alone', async () => {
    const { answer, text } = answering(POLICY)
    await expect(answer('src/{a,b}.ts', 'allow')).rejects.toMatchObject({ name: 'EscrowError' })
    expect(text()).toBe(POLICY)
  })

  it('is not written into a file that is broken', async () => {
    const { answer, text } = answering('acess: {}\n')
    await expect(answer('a', 'allow')).rejects.toMatchObject({ reason: 'policy_invalid' })
    expect(text()).toBe('acess: {}\n')
  })

  it('loses none of two at once, and keeps the mode of the file', async () => {
    const { answer, text, layout } = answering(POLICY)
    fs.chmodSync(`${layout.policyFile}`, 0o640)
    await Promise.all(['a', 'b', 'c'].map((path) => answer(path, 'allow')))
    for (const path of ['a', 'b', 'c']) expect(text()).toContain(`  ${path}: allow\n`)
    expect(fs.statSync(`${layout.policyFile}`).mode & 0o777).toBe(0o640)
  })
})

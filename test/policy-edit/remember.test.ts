import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { editPolicy } from '../../src/policy-edit/edit-policy.js'
import { type AccessRule, rememberRule } from '../../src/policy-edit/remember-rule.js'
import { testWorkspace } from '../intents/workspace.js'
import { trust } from '../support/trust.js'

type Answer = 'allow' | 'subtree' | 'deny'

function setUp(policy?: string) {
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

describe('an answer saved as a rule', () => {
  it.each<[Answer, string, string]>([
    ['allow', 'src/a.ts', '  src/a.ts: allow\n'],
    ['deny', 'src/a.ts', '  src/a.ts: read-only\n'],
    ['subtree', 'src/lib/a.ts', '  src/lib: allow\n'],
    ['allow', 'db/x.sql', '  db/x.sql: allow\n'],
    ['allow', 'src/[id]*.tsx', '  src/[[]id][*].tsx: allow\n'],
    ['allow', 'src/ a: b#', '  "src/ a: b#": allow\n'],
  ])('%s for %s is appended after the others, and comments stay', async (word, path, line) => {
    const { answer, text } = setUp(POLICY)
    await answer(path, word)
    expect(text()).toBe(POLICY.replace('limits:', `${line}limits:`))
  })

  it("for an existing rule's path changes that rule", async () => {
    const { answer, text } = setUp(POLICY)
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
  ])('is written if there was %s', async (_, policy) => {
    const { answer, text } = setUp(policy)
    expect(await answer('a/b.ts', 'allow')).toEqual({ path: 'a/b.ts', word: 'allow' })
    expect(text()).toContain('a/b.ts')
    for (const comment of policy?.match(/#.*/g) ?? []) expect(text()).toContain(comment.trimEnd())
    await answer('a/c.ts', 'deny')
    expect(text()).toMatch(/a\/b\.ts"?: allow\r?\n {2}a\/c\.ts: read-only/)
  })

  it('is not written if a more specific rule would still ask', async () => {
    const { answer, text } = setUp(POLICY)
    await expect(answer('db/x.sql', 'subtree')).rejects.toMatchObject({
      reason: 'unsupported',
      message: expect.stringContaining('`**/*.sql: ask` is more specific'),
    })
    expect(text()).toBe(POLICY)
  })

  it('opens no directory that another rule closes', async () => {
    const policy = 'access:\n  src: deny\n  src/a.ts: ask\n'
    const { answer, text } = setUp(policy)
    await expect(answer('src/a.ts', 'subtree')).rejects.toMatchObject({
      reason: 'unsupported',
      message: expect.stringContaining('`src: deny`'),
    })
    expect(text()).toBe(policy)
    await answer('src/a.ts', 'allow')
    expect(text()).toBe(policy.replace('ask', 'allow'))
  })

  it('is not written if no rule can match only this path', async () => {
    const { answer, text } = setUp(POLICY)
    await expect(answer('src/{a,b}.ts', 'allow')).rejects.toMatchObject({ name: 'EscrowError' })
    expect(text()).toBe(POLICY)
  })

  it('is not written into a broken file', async () => {
    const { answer, text } = setUp('acess: {}\n')
    await expect(answer('a', 'allow')).rejects.toMatchObject({ reason: 'policy_invalid' })
    expect(text()).toBe('acess: {}\n')
  })

  it('loses neither of two concurrent answers, and keeps the mode of the file', async () => {
    const { answer, text, layout } = setUp(POLICY)
    fs.chmodSync(`${layout.policyFile}`, 0o640)
    await Promise.all(['a', 'b', 'c'].map((path) => answer(path, 'allow')))
    for (const path of ['a', 'b', 'c']) expect(text()).toContain(`  ${path}: allow\n`)
    expect(fs.statSync(`${layout.policyFile}`).mode & 0o777).toBe(0o640)
  })
  it('is not written once another process has taken the lock', async () => {
    const { text, layout } = setUp(POLICY)
    const change = () => {
      fs.writeFileSync(`${layout.locks}/policy.holder`, JSON.stringify({ nonce: 'other' }))
      fs.writeFileSync(`${layout.policyFile}`, 'limits:\n  files: 7\n')
      return 'access: {}\n'
    }
    await expect(editPolicy(layout, { empty: '', change })).rejects.toMatchObject({ reason: 'session_busy' })
    expect(text()).toBe('limits:\n  files: 7\n')
  })
})

import { describe, expect, it } from 'vitest'
import { blame, repository as repositoryOf, text } from '../git/kit.js'
import { commitAll } from '../support/git.js'

const F = ['function first(a, b) {', "  const total = add('first', b)", '  return total', '}', '']
const G = ['function second(c) {', "  log('the second one is called', c)", '}', '']

/** A repository whose `src/a.ts` a person wrote, with the ledger outside git, and one agent. */
function repository() {
  const at = repositoryOf({ 'src/a.ts': text(F) })
  return { ...at, commit: () => commitAll(at.root), agent: (content: string) => at.agent('agent', content) }
}

/** The intent or author of each line, or why it is unknown. */
async function authors(root: string, path?: string): Promise<string[]> {
  return (await blame(root, path)).map(
    ({ contributor, intentId, why }) => why ?? (contributor === 'ai' ? (intentId ?? 'ai') : contributor),
  )
}

const authoredBy = (who: string, lines: readonly string[]) => lines.map(() => who)

describe('blame by intent', () => {
  it('does not give the end of a moved function to the agent that changed its last line', async () => {
    const { root, agent } = repository()
    const [head = '', first = ''] = F
    const more = ['function third(d) {', "  log('the third one is called', d)", '}', '']
    await agent(text(F, G, more))
    await agent(text(G, more, [head, first, "  return 'the sum is ' + total", '}', '']))
    expect((await authors(root)).slice(-5)).toEqual([
      ...['unknown', 'unknown', 'INT-001'],
      ...authoredBy('several authors wrote such a line', ['}', '']),
    ])
  })

  it('works through a squash of a branch that moved and reformatted the file', async () => {
    const { root, run, write, agent, commit } = repository()
    run('checkout', '-q', '-b', 'feature')
    await agent(text(F, G))
    run('mv', 'src/a.ts', 'src/b.ts')
    const tidy = ['function second(c) {', '\tlog(', '\t\t"the second one is called",', '\t\tc,', '\t);', '}', '']
    write('src/b.ts', text(F, tidy))
    commit()
    run('checkout', '-q', 'main')
    run('merge', '-q', '--squash', 'feature')
    run('commit', '-q', '-m', 'A pull request (#1)')
    run('branch', '-q', '-D', 'feature')
    expect(await authors(root, 'src/b.ts')).toEqual([...authoredBy('unknown', F), ...authoredBy('INT-001', tidy)])
  })

  it('distinguishes a person in an amended commit from the agent whose trailers it has', async () => {
    const { root, run, write, agent } = repository()
    await agent(text(F, G))
    write('src/a.ts', text(F, G, ['personally()']))
    run('commit', '-q', '-a', '--amend', '--no-edit')
    expect(await authors(root)).toEqual([...authoredBy('unknown', F), ...authoredBy('INT-001', G), 'human'])
  })

  it('does not guess the author of a bracket below an agent’s line', async () => {
    const { root, run, write, agent } = repository()
    await agent(text(F, G))
    write('src/a.ts', text(F, ['if (personally()) {'], G.slice(0, 2), [']]']))
    run('commit', '-q', '-a', '-m', 'work')
    const expected = [...authoredBy('unknown', F), 'human', 'INT-001', 'INT-001', 'several authors wrote such a line']
    expect(await authors(root)).toEqual(expected)
  })

  it('works through a revert of a revert, and a cherry-pick', async () => {
    const { root, run, agent } = repository()
    run('checkout', '-q', '-b', 'feature')
    await agent(text(F, G))
    run('checkout', '-q', 'main')
    run('cherry-pick', 'feature')
    run('revert', '--no-edit', 'HEAD')
    expect(await authors(root)).toEqual(authoredBy('unknown', F))
    run('revert', '--no-edit', 'HEAD')
    expect(await authors(root)).toEqual([...authoredBy('unknown', F), ...authoredBy('INT-001', G)])
  })

  it('does not attribute a line to a person if its commit names an agent that the ledger does not know', async () => {
    const { root, run, write, agent } = repository()
    await agent(text(F, G))
    write('src/a.ts', text(F, G, ['elsewhere(written)']))
    run('commit', '-q', '-a', '-m', 'work', '-m', `Intent: INT-9\nTrace-Head: 7:${'0'.repeat(64)}`)
    expect((await authors(root)).at(-1)).toMatch(
      /^git commit [0-9a-f]{10} names an agent, and this ledger has no record of it$/,
    )
    write('src/a.ts', text(F, G, ['with(another)']))
    run('commit', '-q', '-a', '-m', 'work', '-m', 'Co-authored-by: Claude <noreply@anthropic.com>')
    expect((await authors(root)).at(-1)).toMatch(/names an agent/)
  })
})

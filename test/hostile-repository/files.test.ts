import { rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hostileRepository, snapshotOf, unexpectedChanges } from './kit.js'

/** Files of `.orchestration` that are links to the victim's files, or directories. */

const LEDGER = '.orchestration/agent_trace.jsonl'
const REGISTRY = '.orchestration/active_intents.yaml'

/**
 * For each file: a command that needs it, and targets in the victim's home. The targets are a shell start file (`.bashrc`), an
 * empty one (`.zshenv`), one that does not exist (`.profile`), and a file of another project that has our format.
 */
const FILES: readonly (readonly [file: string, line: string, targets: readonly string[]])[] = [
  [LEDGER, 'intents add Prices --scope src/**', ['.bashrc', '.zshenv', '.profile']],
  [LEDGER, 'log', ['.zshenv']],
  [LEDGER, 'verify', ['.bashrc', '.zshenv']],
  [REGISTRY, 'intents add Prices --scope src/**', ['.bashrc', 'plan.yaml']],
  [REGISTRY, 'status', ['plan.yaml', '.profile']],
  ['.orchestration/policy.yaml', 'approve mine', ['.bashrc', 'rules.yaml', '.profile']],
  ['.orchestration/intent_map.md', 'map', ['.bashrc', 'map.md', '.profile']],
  ['.intentignore', 'intents', ['.bashrc', '.profile']],
  ['.orchestration/.intentignore', 'intents', ['.bashrc']],
  ['.orchestration/templates', 'intents templates', ['.bashrc']],
  ['.orchestration/templates/mine.yaml', 'intents templates', ['template.yaml']],
  ['.orchestration/.gitignore', 'init', ['.bashrc', '.profile']],
  ['.orchestration/.gitattributes', 'init', ['.bashrc', '.profile']],
]

/** The branch for a file and its target. */
const branchOf = (file: string, target: string) => `b-${file.replaceAll(/\W+/g, '-')}-${target.replace('.', '')}`

const clone = hostileRepository((attacker) => {
  attacker.commit()
  const branches = new Set<string>()
  for (const [file, , targets] of FILES) {
    const up = '../'.repeat(file.split('/').length)
    for (const target of [...targets, 'directory']) {
      const branch = branchOf(file, target)
      if (branches.has(branch)) continue
      branches.add(branch)
      attacker.git('checkout', '-q', '-b', branch, 'main')
      attacker.link(file, `${up}home/${target}`)
      if (target === 'directory') {
        rmSync(join(attacker.root, file))
        attacker.write(`${file}/mine.yaml/kept`, 'x\n')
      }
      attacker.commit()
    }
  }
  attacker.git('checkout', '-q', 'main')
})

const LINKS = FILES.flatMap(([file, line, targets]) => targets.map((target) => [file, target, line] as const))
const DIRECTORIES = FILES.map(([file, line]) => [file, 'directory', line] as const)

describe.each([
  ['a link', LINKS],
  ['a directory', DIRECTORIES],
])('an escrow file that is %s in the clone', (_, rows) => {
  it.each(rows)('%s (%s): escrow %s fails, names it and changes nothing', async (file, target, line) => {
    const victim = clone(branchOf(file, target))
    const before = snapshotOf(victim)
    const { code, all } = await victim.escrow(line)
    // The command may write the intent before it opens the ledger.
    expect(unexpectedChanges(before, victim, file === LEDGER ? [REGISTRY] : [])).toEqual([])
    expect([code === 0, all]).toEqual([false, expect.stringContaining(basename(file))])
  })
})

import { rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { damage, hostileRepository, pictureOf } from './kit.js'

/** Files of ours that came as links to files of the victim's, or as directories. */

const LEDGER = '.orchestration/agent_trace.jsonl'
const REGISTRY = '.orchestration/active_intents.yaml'

/**
 * Of each file a command that needs it, and files of the victim's home it leads to: a start file, an empty one (`.zshenv`), one
 * that would be a start file were it made (`.profile`), and one of another project that can be taken for ours.
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

/** A branch for each file and what it leads to. */
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
])('a file of ours that came as %s', (_, rows) => {
  it.each(rows)('%s (%s): escrow %s fails, names it and leaves all as it is', async (file, target, line) => {
    const victim = clone(branchOf(file, target))
    const before = pictureOf(victim)
    const { code, all } = await victim.escrow(line)
    // The intent may be declared before the ledger is asked.
    expect(damage(before, victim, file === LEDGER ? [REGISTRY] : [])).toEqual([])
    expect([code === 0, all]).toEqual([false, expect.stringContaining(basename(file))])
  })
})

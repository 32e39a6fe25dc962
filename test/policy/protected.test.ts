import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldSegment, mayBeProtected, protection } from '../../src/policy/protected.js'

const level = (path: string) => protection(path)?.level

describe('a path that no agent may ever write', () => {
  it.each([
    '.git',
    '.git/hooks/pre-commit',
    'a/b/.git/config',
    'vendor/lib/.git',
    '.GIT/config',
    '.Git/x',
    '.g\u200cit/config',
    '.gi\u202et/config',
    '\ufeff.git',
    '.g\u00adit',
    '.git./config',
    '.git /config',
    '.git. . /x',
    '.git::$INDEX_ALLOCATION/config',
    '.git:stream',
    '.git\uff1astream',
    '.\uff47\uff49\uff54/config',
    '.g\u0131t/config',
    'GIT~1/config',
    'git~2',
    'sub\\.git\\config',
    '.orchestration',
    '.orchestration/active_intents.yaml',
    '.ORCHESTRATION/policy.yaml',
    '.orche\u017ftration/policy.yaml',
    'packages/a/.orchestration/policy.yaml',
    'ORCHES~1/policy.yaml',
    '.intentignore',
    'deep/down/.intentignore',
    'node_modules/escrowfs/dist/src/cli/main.js',
    'apps/web/node_modules/escrowfs',
    'node_modules/.bin/escrow',
    'NODE_MODULES/.bin/Escrow-sh',
    'node_modules/.bin/escrow.cmd',
    '',
  ])('%j', (path) => {
    expect(level(path)).toBe('never')
  })

  it('has the strictest level of its names', () => {
    expect(level('.vscode/.git/config')).toBe('never')
    expect(level('.vscode/package.json')).toBe('literal')
  })
})

describe('a path that a scope must name literally', () => {
  it.each([
    ['.gitmodules', ['.gitmodules']],
    ['.gitcon\ufb01g', ['.gitcon\ufb01g']],
    ['.vscode/settings.json', ['.vscode']],
    ['.VSCode/tasks.json', ['.VSCode']],
    ['apps/web/.idea/x.iml', ['.idea']],
    ['my.code-workspace', ['my.code-workspace']],
    ['.github/workflows/ci.yml', ['.github', 'workflows']],
    ['x/AGENTS.md', ['AGENTS.md']],
    ['CLAUDE.md', ['CLAUDE.md']],
    ['.clinerules', ['.clinerules']],
    ['.clinerules-code/a.md', ['.clinerules-code']],
    ['.roorules.md', ['.roorules.md']],
    ['.roo/mcp.json', ['.roo']],
    ['.mcp.json', ['.mcp.json']],
    ['.claude/settings.json', ['.claude']],
    ['.claude/settings.local.json', ['.claude']],
    ['.CLAUDE/hooks/pre.sh', ['.CLAUDE']],
    ['claude~1/settings.json', ['claude~1']],
    ['.claude.json', ['.claude.json']],
    ['.clinerules/hooks/PreToolUse', ['.clinerules']],
    ['.cline/hooks/PreToolUse.ts', ['.cline']],
    ['home/ada/Documents/Cline/Hooks/PreToolUse', ['Documents', 'Cline', 'Hooks']],
    ['.codex/hooks.json', ['.codex']],
    ['.gemini/settings.json', ['.gemini']],
    ['.opencode/plugin/x.ts', ['.opencode']],
    ['opencode.json', ['opencode.json']],
    ['.husky/pre-commit', ['.husky']],
    ['.devcontainer/devcontainer.json', ['.devcontainer']],
    ['.npmrc', ['.npmrc']],
    ['.bashrc.', ['.bashrc.']],
    ['.github/copilot-instructions.md', ['.github', 'copilot-instructions.md']],
    ['.cargo/config.toml', ['.cargo', 'config.toml']],
    ['.zed/tasks.json', ['.zed']],
    ['.yarn/releases/yarn.cjs', ['.yarn', 'releases']],
    ['.github/actions/x/action.yml', ['.github', 'actions']],
  ])('%s', (path, segments) => {
    expect(protection(path)).toMatchObject({ level: 'literal', segments })
  })
})

it.each([
  ...['opencode.jsonc', 'GEMINI.md', 'QWEN.md', '.windsurfrules', '.roomodes', '.zshenv', '.bash_login'],
  ...['.bash_aliases', '.pre-commit-config.yaml', '.yarnrc.yml', '.gitlab-ci.yml', 'Jenkinsfile', '.travis.yml'],
  ...['lefthook.yml', '.pnpmfile.cjs', '.vimrc', '.exrc', '.gdbinit', '.tool-versions', 'azure-pipelines.yml'],
])('%s must be named literally, in any directory', (name) => {
  expect([level(name), level(`src/${name}`)]).toEqual(['literal', 'literal'])
})

describe('an ordinary or highlighted path', () => {
  it.each([
    ['package.json', 'highlight'],
    ['packages/a/package.json', 'highlight'],
    ['pnpm-lock.yaml', 'highlight'],
    ['Makefile', 'highlight'],
    ['GNUmakefile', 'highlight'],
    ['rules.mk', 'highlight'],
    ['api/Dockerfile.dev', 'highlight'],
    ['build.gradle.kts', 'highlight'],
    ['tests/conftest.py', 'highlight'],
    ['pyproject.toml', 'highlight'],
    ['.eslintrc.cjs', 'highlight'],
    ['src/config.ts', undefined],
    ['src/cargo/index.ts', undefined],
    ['.cargo/audit.toml', undefined],
    ['vite.config.ts', 'highlight'],
    ['.gitattributes', 'highlight'],
    ['.gitignore', undefined],
    ['.github/CODEOWNERS', undefined],
    ['github/workflows/x.yml', undefined],
    ['git/x', undefined],
    ['src/git.ts', undefined],
    ['.gitkeep', undefined],
    ['a.git', undefined],
    ['legit', undefined],
    ['orchestration/x', undefined],
    ['.config.d/x', undefined],
    ['src/größe.ts', undefined],
    ['src/VSCODE~1/x', 'literal'],
    ['src/mcp~2.jso', 'literal'],
    ['GITHUB~1/WORKFL~1/x.yml', 'literal'],
    ['src/INTENT~1', 'never'],
    ['src/backup~1', undefined],
    ['src/vscode~x', undefined],
    ['src/github~1/x.ts', undefined],
    ['src/packag~1.jso', undefined],
  ])('%s: %s', (path, expected) => {
    expect(level(path)).toBe(expected)
  })
})

describe('folding', () => {
  it('is idempotent', () => {
    for (const name of ['.GiT.', 'ǅ', 'İ', 'ﬁle', 'straße', '.git :x', '..']) {
      expect(foldSegment(foldSegment(name))).toBe(foldSegment(name))
    }
  })
})

it('a name that cannot be part of a protected path adds no protection', () => {
  const odd = fc.constantFrom(
    '.git',
    '.GIT ',
    'git~1',
    '.github',
    'workflows',
    'AGENTS.md',
    'x.config.js',
    '.clinerules-a',
    'a\\\\.git',
  )
  const name = fc.oneof(
    odd,
    fc.string({ minLength: 1, maxLength: 8 }).filter((text) => !text.includes('/')),
  )
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 3 }), name, (parts, last) => {
      fc.pre(!mayBeProtected(last))
      const dir = parts.join('/')
      expect(protection(`${dir}/${last}`)?.level).toBe(protection(dir)?.level)
    }),
    { numRuns: 2_000 },
  )
})

describe('the shortcut for most paths', () => {
  const names = [
    '.git',
    '.orchestration',
    '.github',
    'workflows',
    'node_modules',
    '.bin',
    'escrow',
    'escrowfs',
    'package.json',
  ]
  const more = [
    '.vscode',
    'a.code-workspace',
    'vite.config.ts',
    'AGENTS.md',
    '.roorules-x',
    'src',
    'a b',
    '[id]',
    'Makefile',
  ]
  const character = fc.constantFrom(...'abGIT.-~:\\ \t_é\u200c')
  const segment = fc
    .tuple(fc.constantFrom(...names, ...more), fc.array(character, { maxLength: 2 }), fc.boolean())
    .map(([name, end, upper]) => (upper ? name.toUpperCase() : name) + end.join(''))
  const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'))

  it('gives the same result as a check of each name', () => {
    fc.assert(
      fc.property(path, (plain) => {
        const each = protection(`x~x/${plain}`)
        expect(protection(plain)).toEqual(each)
      }),
      { numRuns: 3_000 },
    )
  })
})

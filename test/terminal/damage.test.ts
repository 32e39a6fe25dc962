import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { PROVIDERS, withProvider } from '../support/providers.js'
import { site } from './site.js'

/**
 * Small projects with an ordinary-looking command that does damage: the damage is found, listed first, and reverted;
 * the disk is unchanged.
 */

interface Project {
  readonly files: Readonly<Record<string, string>>
  readonly command: string
  /** Paths that must be reported to a person. */
  readonly damaged: readonly string[]
}

const perl = (code: string) => `#!/usr/bin/perl\n${code}\n`

const PROJECTS: Readonly<Record<string, Project>> = {
  'a cleanup that deletes the README': {
    files: {
      'README.md': 'Read me.\n',
      'build/out.o': 'o',
      'clean.sh': 'rm -rf build\nfind . -maxdepth 1 -name "*.md" -delete\n',
    },
    command: 'sh clean.sh',
    damaged: ['README.md'],
  },
  'a deploy that deletes src': {
    files: {
      'src/app.js': 'app\n',
      'src/lib/util.js': 'util\n',
      'deploy.sh': 'mkdir -p dist && cp -r src/. dist/ && rm -rf src\n',
    },
    command: 'sh deploy.sh',
    damaged: ['src/app.js', 'src/lib/util.js'],
  },
  'a migration that empties files': {
    files: {
      'data/users.csv': 'id,name\n1,Ada\n',
      'data/orders.csv': 'id,user\n1,1\n',
      'migrate.sh': 'for f in data/*.csv; do sort "$f" > "$f"; done\n',
    },
    command: 'sh migrate.sh',
    damaged: ['data/users.csv', 'data/orders.csv'],
  },
  'a build that deletes headers': {
    files: {
      'include/a.h': '#define A\n',
      'src/a.c': '#include "a.h"\n',
      Makefile: 'all:\n\tcat src/a.c > a.o\n\trm -f include/*.h\n',
      'build.sh': 'cat src/a.c > a.o; rm -f include/*.h\n',
    },
    command: 'sh build.sh',
    damaged: ['include/a.h'],
  },
  'an install that resets .env': {
    files: {
      '.env': 'KEY=mine\n',
      '.env.example': 'KEY=\n',
      '.gitignore': '.env\n',
      'install.sh': 'cp .env.example .env\n',
    },
    command: 'sh install.sh',
    damaged: ['.env'],
  },
  'a formatter that rewrites code and deletes docs': {
    files: {
      'src/a.js': 'const a = 1 // one\n',
      'docs/guide.md': 'A guide.\n',
      'format.pl': perl(
        'for (<src/*.js>) { open F, "<", $_; local $/; $t = <F>; $t =~ s{//.*}{}g; open F, ">", $_; print F $t } unlink <docs/*>;',
      ),
    },
    command: 'perl format.pl',
    damaged: ['src/a.js', 'docs/guide.md'],
  },
  'a test runner whose teardown deletes fixtures': {
    files: {
      'test/fixtures/one.json': '{}\n',
      'test/run.sh': 'trap "rm -rf test/fixtures" EXIT\ntest -f test/fixtures/one.json && echo passed\n',
    },
    command: 'sh test/run.sh',
    damaged: ['test/fixtures/one.json'],
  },
  'a packager three levels deep': {
    files: {
      'pack.sh': 'sh scripts/stage.sh\n',
      'scripts/stage.sh': 'sh scripts/lib/prune.sh\n',
      'scripts/lib/prune.sh': 'find assets -type f -size -2 -delete\n',
      'assets/logo.svg': '<svg/>\n',
    },
    command: 'sh pack.sh',
    damaged: ['assets/logo.svg'],
  },
  // Programs whose command line does not show their effects: no readable script contains them.
  'a compiled program that deletes': {
    files: { 'notes.txt': 'notes\n', tool: 'unlink\0notes.txt' },
    command: 'perl -e \'open F, "<", "tool"; local $/; ($f, $a) = split /\\0/, <F>; unlink $a\'',
    damaged: ['notes.txt'],
  },
  'a compiled program that truncates': {
    files: { 'ledger.db': 'rows\n', tool: 'x' },
    command: 'dd if=/dev/null of=ledger.db 2>/dev/null',
    damaged: ['ledger.db'],
  },
  'a compiled program that moves away': {
    files: { 'src/main.c': 'int main(){}\n' },
    command: 'mv src/main.c "$TMPDIR/gone.c"',
    damaged: ['src/main.c'],
  },
}

describe.each(PROVIDERS)('in %s', (provider) => {
  withProvider(provider)

  it.each(Object.entries(PROJECTS))(
    '%s changes nothing on disk, is reported, and can be reverted',
    async (_, { files, command, damaged }) => {
      const { session, root } = await site(files)
      const disk = () =>
        Object.fromEntries(Object.keys(files).map((path) => [path, fs.readFileSync(`${root}/${path}`, 'utf8')]))
      const { summary, effects, refused } = await session.exec(command)
      expect(disk()).toEqual(files)
      const moved = effects.changes.flatMap(({ from }) => (from === undefined ? [] : [from]))
      const reported = [...moved, ...[...effects.changes, ...refused].map(({ path }) => path)]
      for (const path of damaged) {
        expect(reported).toContain(path)
        expect(summary).toContain(path)
      }
      // Deletions and refusals are listed first.
      const gone = damaged.filter((path) =>
        effects.changes.some((change) => change.path === path && change.kind === 'delete'),
      )
      if (gone.length > 0) expect(summary).toMatch(/^(refused|deleted)/)
      await session.revert()
      // An agent may not read a secret.
      for (const [path, text] of Object.entries(files))
        if (path !== '.env') expect(session.fs.readFileSync(`${root}/${path}`, 'utf8')).toBe(text)
      expect((await session.changes()).changes).toEqual([])
      expect(disk()).toEqual(files)
    },
  )
})

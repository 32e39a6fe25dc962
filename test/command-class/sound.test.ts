import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { classifyCommand } from '../../src/command-class/index.js'
import { site } from '../terminal/site.js'

/** Programs, and arguments with which some of them write, delete or start others. */
const WORDS: Readonly<Record<string, string>> = {
  find: ". d -name *.t -type f -exec rm {} ; \\; + -delete -fprint o -ls -o -a ! -execdir touch -printf %p -size +1 -D -prune sh -c 'rm a' -newer a",
  sed: "-n -i -e 's/a/b/' 's/a/b/w o' 'w o' '1e touch o' 's/x/touch o/e' -s -E a 1p p -f sc --in-place -ni -z 's/a/b/;w o' '$!d' '/a/,/b/p' --expression=w -- -",
  awk: "'{print}' '{print > \"o\"}' 'BEGIN{system(\"touch o\")}' -F : -v x=1 -f sc a -i inplace '/a/' -o -d --dump-variables=o -W dump=o --",
  sort: '-o o a -u -r -k1 --output=o --outp -uo oo -T . --compress-program=touch -S 1K -m -c -- -ro',
  uniq: 'a o -c -d -f 1 -- - -w3 -s1',
  tar: '-tf x.tar tf -xf --to-command=touch -cf o.tar a -t -f --list -C . --checkpoint=1 --checkpoint-action=exec=touch -v -I touch --delete',
  xargs: '-n1 -I {} touch o cat rm -0 -a a -P2 -r -t -i -L1 echo sh -c -- -d x',
  env: "-i -u A A=1 LANG=C touch o cat a -S 'touch o' -C d -- - -0 --chdir=d --split-string=touch",
  timeout: '1 -k -s 9 touch o cat a --foreground -- --signal=9',
  nice: '-n 3 touch o cat a -5 --adjustment=2',
  command: '-p -v -V touch o cat a --',
  trap: "'touch o' EXIT -p - 0 -- -l",
  sh: "-c 'touch o' -e 'cat a' -s sc -o posix - -ec",
  bash: "-c 'touch o' -x 'cat a' -s -l -- sc +e -n --norc --rcfile -ec",
  git: 'log status diff --output=o --outpu show -c branch n -D -m tag stash list -C . grep -Otouch a config --get x.y z reset --hard clean -n -f checkout -- remote -v add reflog worktree prune --ext-diff -p ls-files archive',
  ls: 'a | ; && || & ( ) { } > o rm $(rm `rm ` " \' \\ \n < [ [[ ]] ! if then fi for in do done $x {rm,a} # function f() <<E E',
}

const lines = fc.constantFrom(...Object.keys(WORDS)).chain((program) =>
  fc
    .array(fc.constantFrom(...(WORDS[program] ?? '').split(/ (?=(?:[^']*'[^']*')*[^']*$)/)), {
      minLength: 1,
      maxLength: 6,
    })
    .map((words) => [program, ...words].join(' ')),
)

it('a line that is classified as one that reads changes nothing when it runs', { timeout: 120_000 }, async () => {
  const { session, root } = await site({ a: 'a\nx\n', b: 'b\n', 'd/c.t': 'c\n', sc: 'touch o\n' })
  execFileSync('sh', ['-c', 'git init -q . && git add a && tar cf x.tar b'], { cwd: root })
  const before = await session.changes()
  let ran = 0
  await fc.assert(
    fc.asyncProperty(lines, async (line) => {
      const { classes } = await classifyCommand(line)
      if (!classes.includes('read-only')) return
      ran++
      const { effects, refused } = await session.exec(line, { timeout: 3_000, stdin: 'a\n' })
      expect([effects.changes, refused], line).toEqual([[], []])
    }),
    { numRuns: 250 },
  )
  expect(ran).toBeGreaterThan(10)
  expect((await session.changes()).digest).toBe(before.digest)
})

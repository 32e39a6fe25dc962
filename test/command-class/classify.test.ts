import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classifyCommand } from '../../src/command-class/index.js'
import { COMMAND_CLASSES } from '../../src/core/command-class.js'
import { DESTRUCTIVE, UNTOLD } from './hostile-lines.js'
import { type Line, NETWORK, READING, WORKING } from './lines.js'

const classesOf = async (command: string | string[]) => (await classifyCommand(command)).classes
const expectedClasses = (classes: string) => COMMAND_CLASSES.filter((each) => classes.split(' ').includes(each))

const GROUPS: readonly (readonly [string, readonly Line[]])[] = [
  ['reads', READING],
  ['works', WORKING],
  ['uses the network', NETWORK],
  ['deletes', DESTRUCTIVE],
  ['cannot be told', UNTOLD],
]

describe.each(GROUPS)('a line that %s', (_, lines) => {
  it.each(lines)('%j is %s: %s', async (line, classes) => {
    expect(await classesOf(line)).toEqual(expectedClasses(classes))
  })
})

describe('a line', () => {
  it('that deletes, uses the network or is not recognized is never classified as one that reads, and the reason names its part', async () => {
    for (const [line] of [...DESTRUCTIVE, ...NETWORK, ...UNTOLD]) {
      const { classes, why } = await classifyCommand(line)
      expect(classes, line).not.toContain('read-only')
      expect(new Set(why.map((reason) => reason.class)), line).toEqual(new Set(classes))
    }
    const { why } = await classifyCommand('ls && git push --force origin x')
    expect(why).toContainEqual({
      class: 'destructive',
      part: 'git push --force origin x',
      because: 'replaces or deletes commits of others',
    })
  })

  it('of many parts has a reason for each class', async () => {
    const many = Array.from({ length: 40 }, (_, index) => `git x${index}; p${index} $X`).join('\n')
    const { classes, why } = await classifyCommand(`${many}\nrm x`)
    expect(classes).toEqual(['destructive', 'other'])
    expect(new Set(why.map((reason) => reason.class))).toEqual(new Set(classes))
    expect(why.length).toBeLessThan(40)
  })

  it('as an array is a program and its arguments, without a shell', async () => {
    expect(await classesOf(['echo', '; rm -rf x', '$(curl y)', '>', 'f'])).toEqual(['read-only'])
    expect(await classesOf(['rm', '-rf', 'x'])).toEqual(['destructive'])
    expect(await classesOf(['sh', '-c', 'curl x > f'])).toEqual(['write', 'network'])
    expect(await classesOf(['$X'])).toEqual(['other'])
    expect(await classesOf(['env', 'A=1', 'git', 'push'])).toEqual(['network', 'other'])
  })

  it('that is long, deep or full of odd characters gets a class, and not the one that reads', async () => {
    const odd = ['ls '.repeat(40_000), '('.repeat(5000), `${'sh -c "'.repeat(9)}ls`, 'ls\u0000', '$('.repeat(300)]
    for (const line of odd) expect(await classesOf(line), line.slice(0, 20)).toEqual(['other'])
    let nested = 'ls'
    for (let depth = 0; depth < 9; depth++) nested = `sh -c '${nested.replaceAll("'", `'\\''`)}'`
    expect(await classesOf(nested)).toEqual(['other'])
  })
})

const shellQuote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** Ways to wrap a line whose parts may be anything. */
const AROUND: readonly ((line: string) => string)[] = [
  (line) => `sh -c ${shellQuote(line)}`,
  (line) => `timeout 5 bash -c ${shellQuote(line)}`,
  (line) => `env LANG=C sh -c ${shellQuote(line)}`,
  (line) => `(${line}\n)`,
  (line) => `{ ${line}\n}`,
  (line) => `if true; then ${line}\nfi`,
  (line) => `while ${line}\ndo ls; done`,
  (line) => `echo "$(${line}\n)"`,
  (line) => `ls && ls\n${line}`,
  (line) => `f() { ${line}\n}; f`,
  (line) => `sh <<'E_O_F'\n${line}\nE_O_F`,
  (line) => `find . -exec sh -c ${shellQuote(line)} ';'`,
]

/** Ways to spell a word that reaches the program unchanged. */
const SPELT: readonly ((word: string) => string)[] = [
  (word) => shellQuote(word),
  (word) => `"${word.replace(/["$`\\]/g, '\\$&')}"`,
  (word) => [...word].map((char) => (/\w/.test(char) ? char : `\\${char}`)).join(''),
  (word) => `${word.slice(0, 1)}''${word.slice(1)}`,
  (word) => `\\${word}`,
]

describe('properties', () => {
  const lines = [...DESTRUCTIVE, ...NETWORK, ...WORKING].map(([line]) => line).filter((line) => !line.includes('<<'))

  it('a line that begins with a backslash does not continue the line before it', async () => {
    for (const line of ['ls && ls\n\\rm -rf x', 'ls\n \t\\curl x.y']) expect(await classesOf(line)).toContain('other')
  })

  it('wrapping a line removes no class', async () => {
    const around = fc.array(fc.constantFrom(...AROUND), { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...lines), around, async (line, wrappers) => {
        const wrapped = wrappers.reduce((text, wrap) => wrap(text), line)
        const [before, after] = [await classesOf(line), await classesOf(wrapped)]
        const isLost = before.some((each) => !after.includes(each))
        // A line that cannot be parsed any longer may contain anything.
        expect(isLost && !after.includes('other'), `${wrapped}\n${after}`).toBe(false)
        expect(after).not.toContain('read-only')
      }),
      { numRuns: 300 },
    )
  })

  it('a program in another spelling is the same program', async () => {
    const programs = fc.constantFrom('rm', 'curl', 'shred', 'git', 'cat')
    const wrappers = fc.array(fc.constantFrom('command', 'nohup', 'env', 'nice -n 3', 'timeout 5', 'time', 'exec'), {
      maxLength: 3,
    })
    await fc.assert(
      fc.asyncProperty(programs, fc.constantFrom(...SPELT), wrappers, async (program, spell, before) => {
        const plain = await classesOf(`${program} push x`)
        expect(await classesOf([...before, spell(program), 'push', 'x'].join(' '))).toEqual(plain)
      }),
      { numRuns: 200 },
    )
  })
})

describe('the grammar of shell scripts', () => {
  const load = async () => {
    throw new Error('The grammar cannot be loaded.')
  }

  it('is not loaded for a program without a script', async () => {
    for (const command of [['npm', 'test'], ['claude'], ['env', 'A=1', 'rm', '-rf', 'src'], ['git', 'push']])
      expect(await classifyCommand(command, load)).toEqual(await classifyCommand(command))
  })

  it('is loaded for a line, and for a script among the arguments of a program', async () => {
    for (const command of ['true', ['sh', '-c', 'true'], ['env', 'bash', '-c', 'rm -rf src']])
      await expect(classifyCommand(command, load)).rejects.toThrow('The grammar cannot be loaded.')
  })
})

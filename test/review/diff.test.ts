import { applyPatch, structuredPatch } from 'diff'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { COMPARE_LIMIT, diffFile, EDIT_LIMIT, type PlainHunk, SHOW_LIMIT } from '../../src/review/diff.js'

const bytes = (text: string) => Buffer.from(text)
const diff = (before: string, after: string) => diffFile(bytes(before), bytes(after), 'a.txt')
const numberedLines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}\n`).join('')

/** Applies hunks by their text, and checks every old line. */
function apply(before: string, hunks: readonly PlainHunk[]): string {
  const old = before.split(/(?<=\n)/).filter((line) => line !== '')
  const out: string[] = []
  let at = 0
  for (const hunk of hunks) {
    const start = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1
    out.push(...old.slice(at, start))
    at = start
    const lines = hunk.text.slice(0, -1).split('\n').slice(1)
    lines.forEach((line, index) => {
      if (line.startsWith('\\')) return
      const text = line.slice(1) + (lines[index + 1]?.startsWith('\\') ? '' : '\n')
      if (!line.startsWith('+')) expect(old[at++]).toBe(text)
      if (!line.startsWith('-')) out.push(text)
    })
  }
  return [...out, ...old.slice(at)].join('')
}

const line = fc.constantFrom(
  'a',
  'b',
  'c',
  '',
  '}',
  'x\r',
  '\\ No newline at end of file',
  '-a',
  '+b',
  '@@ -1 +1 @@',
  'ü',
)
const text = fc.tuple(fc.array(line, { maxLength: 30 }), fc.boolean()).map(([lines, ended]) => {
  const joined = lines.join('\n')
  return ended && lines.length > 0 ? `${joined}\n` : joined
})

describe('diffFile', () => {
  it('gives hunks that turn the old text into the new', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(apply(before, diff(before, after).hunks)).toBe(after)
      }),
      { numRuns: 500 },
    )
  })

  it('gives a unified diff that a patch tool applies', () => {
    const plain = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 20 }).map((lines) => lines.join('\n'))
    fc.assert(
      fc.property(plain, plain, (before, after) => {
        const unified = diff(before, after).hunks.map((hunk) => hunk.text)
        expect(applyPatch(before, `--- a\n+++ b\n${unified.join('')}`)).toBe(after)
      }),
    )
  })

  it('keeps three lines of context and numbers lines as git does', () => {
    const { hunks } = diff(numberedLines(0, 20), numberedLines(0, 10) + numberedLines(11, 20))
    expect(hunks).toHaveLength(1)
    expect(hunks[0]).toMatchObject({ oldStart: 8, oldLines: 7, newStart: 8, newLines: 6 })
    expect(hunks[0]?.text.split('\n')[0]).toBe('@@ -8,7 +8,6 @@')
  })

  it('shows a creation and a deletion as one hunk, of any length', () => {
    const long = numberedLines(0, EDIT_LIMIT * 2)
    const created = diffFile(null, bytes(long), 'a.txt')
    expect(created).toMatchObject({ large: false, hunks: [{ oldStart: 0, oldLines: 0, newLines: EDIT_LIMIT * 2 }] })
    expect(created.hunks[0]?.text.startsWith('@@ -0,0 +1,')).toBe(true)
    const deleted = diffFile(bytes('x\n'), null, 'a.txt')
    expect(deleted.hunks[0]?.text).toBe('@@ -1,1 +0,0 @@\n-x\n')
  })

  it('has no hunks if nothing differs or both sides are empty', () => {
    for (const result of [diff('a\n', 'a\n'), diff('', ''), diffFile(null, bytes(''), 'a.txt')]) {
      expect(result).toMatchObject({ hunks: [], binary: false, large: false, encoding: [] })
    }
  })

  it('keeps CRLF, and shows a change of line endings alone', () => {
    expect(diff('a\r\nb\r\n', 'a\r\nc\r\n').hunks[0]?.text).toBe('@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n')
    expect(diff('a\r\n', 'a\n').hunks[0]?.text).toBe('@@ -1,1 +1,1 @@\n-a\r\n+a\n')
  })

  it('shows a final newline that is added or removed, and a byte order mark', () => {
    expect(diff('a', 'a\n').hunks[0]?.text).toBe('@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n')
    expect(diff('\uFEFFa\n', 'a\n').hunks[0]?.text).toBe('@@ -1,1 +1,1 @@\n-\uFEFFa\n+a\n')
  })

  it('shows no text of binary content', () => {
    for (const content of [Buffer.from([0x61, 0]), Buffer.from([0xff, 0xfe, 0x61]), Buffer.from([0xe9, 0x0a])]) {
      for (const result of [diffFile(bytes('a'), content, 'a.bin'), diffFile(content, null, 'a.bin')]) {
        expect(result).toMatchObject({ hunks: [], binary: true })
      }
    }
  })

  it('replaces the whole if a comparison would take too long', () => {
    const other = numberedLines(0, EDIT_LIMIT).replaceAll('line', 'other')
    const edits = diff(numberedLines(0, EDIT_LIMIT), other)
    expect(edits).toMatchObject({ large: true, binary: false })
    expect(edits.hunks).toHaveLength(1)
    expect(apply(numberedLines(0, EDIT_LIMIT), edits.hunks)).toBe(other)
    const big = 'x'.repeat(COMPARE_LIMIT)
    const bytesLimit = diff(`${big}\na\n`, `${big}\nb`)
    expect(bytesLimit.large).toBe(true)
    expect(apply(`${big}\na\n`, bytesLimit.hunks)).toBe(`${big}\nb`)
  })

  it('accepts a file of very many short lines', () => {
    const lines = '\n'.repeat(300_000)
    expect(diff(lines, `x\n${lines}y\n`).hunks).toHaveLength(2)
    expect(diff(lines, 'x\n'.repeat(300_000))).toMatchObject({ large: true, hunks: [{ oldLines: 300_000 }] })
  })

  it('shows no text past the size a string can safely hold', () => {
    const result = diffFile(null, Buffer.alloc(SHOW_LIMIT + 1, 'a'), 'a.txt')
    expect(result).toMatchObject({ hunks: [], large: true, binary: false })
  })
})

describe('take', () => {
  const picked = fc.infiniteStream(fc.boolean())
  const some = (ids: string[], picks: Iterator<boolean>) => new Set(ids.filter(() => picks.next().value))

  it('gives the old text with the selected hunks, and the remaining ones then give the new text', () => {
    fc.assert(
      fc.property(text, text, picked, (before, after, picks) => {
        const whole = diff(before, after)
        const wanted = some(
          whole.hunks.map(({ id }) => id),
          picks,
        )
        const part = Buffer.from(whole.take(wanted)).toString()
        const hunks = whole.hunks.filter(({ id }) => wanted.has(id))
        if (whole.hunks.length > 0) expect(part).toBe(apply(before, hunks))
        if (part === after || whole.hunks.length === 0) return
        expect(apply(part, diff(part, after).hunks)).toBe(after)
      }),
      { numRuns: 300 },
    )
  })

  it('keeps the ids of the others', () => {
    const edits = fc.array(fc.tuple(fc.nat(59), fc.constantFrom('A', 'B', '')), { minLength: 2, maxLength: 6 })
    const joinLines = (lines: string[]) => lines.map((line) => (line === '' ? '' : `${line}\n`)).join('')
    fc.assert(
      fc.property(edits, picked, (changes, picks) => {
        const lines = Array.from({ length: 60 }, (_, index) => (index % 4 === 0 ? '}' : `line ${index}`))
        const now = [...lines]
        for (const [at, line] of changes) now[at] = line
        const whole = diff(joinLines(lines), joinLines(now))
        const ids = whole.hunks.map(({ id }) => id)
        const wanted = some(ids, picks)
        const left = diffFile(whole.take(wanted), bytes(joinLines(now)), 'a.txt').hunks.map(({ id }) => id)
        expect(left).toEqual(ids.filter((id) => !wanted.has(id)))
      }),
      { numRuns: 300 },
    )
  })

  it('keeps the bytes: line ends, a missing final newline, byte order marks', () => {
    const far = numberedLines(0, 8)
    const take = (before: Buffer, after: Buffer, which: number) => {
      const whole = diffFile(before, after, 'a.txt')
      expect(whole.hunks).toHaveLength(2)
      return Buffer.from(whole.take(new Set([whole.hunks[which]?.id ?? ''])))
    }
    const crlf = (top: string, end: string) => bytes(`${top}\r\n${far}${end}`)
    expect(take(crlf('a', 'z'), crlf('b', 'y\n'), 0)).toEqual(crlf('b', 'z'))
    expect(take(crlf('a', 'z'), crlf('b', 'y\n'), 1)).toEqual(crlf('a', 'y\n'))
    for (const swap of [false, true]) {
      const wide = (content: string) => {
        const encoded = Buffer.from(`\uFEFF${content}`, 'utf16le')
        return swap ? encoded.swap16() : encoded
      }
      const two = (top: string, end: string) => wide(`${top}\nü${far}${end}`)
      expect(take(two('a', 'z'), two('b', 'y'), 0)).toEqual(two('b', 'z'))
      expect(diffFile(two('a', 'z'), two('b', 'z'), 'a')).toMatchObject({ binary: false, encoding: ['utf-16'] })
    }
    const marked = diffFile(bytes(`\uFEFF${far}a\n`), bytes(`${far}b\n`), 'a.txt')
    expect(marked.encoding).toEqual(['encoding-changed'])
  })

  it('takes all or nothing if the encoding changes', () => {
    const [narrow, wide] = [bytes('a\nb\n'), Buffer.from('\uFEFFa\nb\n', 'utf16le')]
    const recoded = diffFile(narrow, wide, 'a.txt')
    expect(recoded).toMatchObject({ encoding: ['utf-16', 'encoding-changed'], binary: false })
    expect(recoded.hunks).toHaveLength(1)
    expect(recoded.take(new Set(recoded.hunks.map(({ id }) => id)))).toEqual(wide)
    expect(recoded.take(new Set())).toEqual(narrow)
  })
})

describe('hunk ids', () => {
  const base = numberedLines(0, 40)
  const edit = (content: string, at: number) => content.replace(`line ${at}\n`, `edited ${at}\n`)

  it('stay when lines are inserted elsewhere, on both sides or only in the new text', () => {
    const [first] = diff(base, edit(base, 30)).hunks
    const shifted = diff(`top\n${base}`, `top\n${edit(base, 30)}`).hunks
    expect(shifted.map(({ id }) => id)).toEqual([first?.id])
    const shiftedHunks = diff(base, `top\n${edit(base, 30)}`).hunks
    expect(shiftedHunks).toHaveLength(2)
    expect(shiftedHunks[1]?.id).toBe(first?.id)
    expect(shiftedHunks[1]?.newStart).not.toBe(first?.newStart)
  })

  it('stay when a neighbour is committed', () => {
    const both = edit(edit(base, 10), 30)
    const [, second] = diff(base, both).hunks
    expect(diff(edit(base, 10), both).hunks[0]?.id).toBe(second?.id)
  })

  it('change with the old text, the new text, the path and the text between two changes', () => {
    const id = (before: string, after: string, path = 'a.txt') =>
      diffFile(bytes(before), bytes(after), path).hunks[0]?.id
    const ids = [
      id('a\nk\n', 'b\nk\n'),
      id('c\nk\n', 'b\nk\n'),
      id('a\nk\n', 'd\nk\n'),
      id('a\nk\n', 'b\nk\n', 'b.txt'),
      id('a\nk\nl\nm\n', 'b\nk\nl\nn\n'),
      id('a\nk\nL\nm\n', 'b\nk\nL\nn\n'),
      id('a', 'b'),
      id('k\na\n', 'k\nb\n'),
    ]
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('differ for hunks with the same text', () => {
    const twice = `same\n${numberedLines(0, 20)}same\n`
    const ids = diff(twice, twice.replaceAll('same', 'other')).hunks.map(({ id }) => id)
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(2)
  })

  it('depend on the position if the old text occurs more than once in the file', () => {
    const block = `${numberedLines(0, 8)}x\n${numberedLines(0, 8)}`
    const two = block.repeat(2)
    const changeBlocks = (...which: number[]) =>
      [0, 1].map((at) => (which.includes(at) ? block.replace('x', 'y') : block)).join('')
    const ids = (before: string, after: string) => diff(before, after).hunks.map(({ id }) => id)
    const [first, second] = ids(two, changeBlocks(0, 1))
    expect(first).not.toBe(second)
    // Each alone has the same text as the other: neither may be confused with the other.
    expect(ids(two, changeBlocks(0))).toEqual([first])
    expect(ids(two, changeBlocks(1))).toEqual([second])
    expect(ids(two, `${changeBlocks(0)}more\n`)[0]).toBe(first)
    // With one of them in the base it is unknown which of the two the other was.
    expect([first, second]).not.toContain(ids(changeBlocks(0), changeBlocks(0, 1))[0])
    const unique = diff(`${two}z\n`, `${changeBlocks(0, 1)}a\n`).hunks.at(-1)?.id
    expect(ids(`${changeBlocks(0, 1)}z\n`, `${changeBlocks(0, 1)}a\n`)).toEqual([unique])
  })

  it('are never shared by two hunks of a file', () => {
    const long = fc.array(fc.constantFrom('a\n', 'b\n'), { maxLength: 120 }).map((lines) => lines.join(''))
    fc.assert(
      fc.property(long, long, (before, after) => {
        const ids = diff(before, after).hunks.map(({ id }) => id)
        expect(new Set(ids).size).toBe(ids.length)
      }),
    )
  })
})

describe('the comparison of lines', () => {
  const encode = (lines: readonly string[], ended: boolean) => Buffer.from(lines.join('\n') + (ended ? '\n' : ''))
  const bare = ({ hunks }: ReturnType<typeof diffFile>) => hunks.map(({ id, ...rest }) => rest)
  const asJsdiff = (before: Buffer, after: Buffer) =>
    structuredPatch('', '', `${before}`, `${after}`, undefined, undefined, { context: 3 }).hunks

  it('gives the hunks of jsdiff if no line occurs twice', () => {
    const sides = fc.uniqueArray(fc.nat(400), { minLength: 1, maxLength: 60 }).chain((lines) =>
      fc.record({
        before: fc.subarray(lines, { minLength: 1 }),
        after: fc.subarray(lines, { minLength: 1 }),
        ended: fc.tuple(fc.boolean(), fc.boolean()),
      }),
    )
    fc.assert(
      fc.property(sides, ({ before, after, ended }) => {
        const [old, now] = [encode(before.map(String), ended[0]), encode(after.map(String), ended[1])]
        const ours = bare(diffFile(old, now, 'f')).map(({ text }) => text.slice(text.indexOf('\n') + 1, -1))
        expect(ours).toEqual(asJsdiff(old, now).map(({ lines }) => lines.join('\n')))
      }),
    )
  })

  it('deletes and inserts as few lines as jsdiff', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1, maxLength: 40 })
    const edits = (rows: readonly string[]) => rows.filter((row) => /^[-+]/.test(row)).length
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const [old, now] = [encode(before, true), encode(after, true)]
        const ours = diffFile(old, now, 'f')
        expect(ours.take(new Set(ours.hunks.map(({ id }) => id)))).toEqual(now)
        expect(edits(ours.hunks.flatMap(({ text }) => text.split('\n').slice(1)))).toBe(
          edits(asJsdiff(old, now).flatMap((hunk) => hunk.lines)),
        )
      }),
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Block, blocksOf, resolveBlocks } from '../../src/web/markers.js'

const same = (text: string): Block => ({ kind: 'same', text })
const both = (ours: string, theirs: string): Block => ({
  kind: 'both',
  ours,
  theirs,
  ourName: 'agent',
  theirName: 'disk',
})
const join = (blocks: readonly Block[]) =>
  blocks
    .map((block) =>
      block.kind === 'same' ? block.text : `<<<<<<< agent\n${block.ours}=======\n${block.theirs}>>>>>>> disk\n`,
    )
    .join('')

describe('conflict markers', () => {
  it('split a text into common and conflicting parts', () => {
    const blocks = [same('a\n'), both('b\n', ''), both('', 'c\n'), same('d')]
    expect(blocksOf(join(blocks))).toEqual(blocks)
    expect(resolveBlocks(blocks, { 1: 'ours', 2: 'theirs' })).toBe('a\nb\nc\nd')
    expect(resolveBlocks([both('a\n', 'b\n')], { 0: 'both' })).toBe('a\nb\n')
  })

  it('that do not end are plain text, as is every text without markers', () => {
    const line = fc.constantFrom(
      '<<<<<<< x\n',
      '=======\n',
      '>>>>>>> y\n',
      'a\n',
      '\n',
      '=======\r\n',
      '<<<<<<<\n',
      '======= \n',
      'b',
    )
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const text = lines.join('')
        const blocks = blocksOf(text)
        const rebuilt = blocks
          .map((block) => (block.kind === 'same' ? block.text : `${block.ours}${block.theirs}`))
          .join('')
        if (blocks.every(({ kind }) => kind === 'same')) expect(rebuilt).toBe(text)
        else expect(rebuilt.length).toBeLessThan(text.length)
      }),
    )
  })

  it('in great numbers are parsed in one pass', () => {
    expect(blocksOf('<<<<<<< x\n'.repeat(100_000))).toHaveLength(1)
    expect(blocksOf(`<<<<<<< x\n=======\n${'>>>>>>>\n'.repeat(100_000)}`)).toHaveLength(1)
  })
})

import { describe, expect, it } from 'vitest'
import { confusableWords } from '../../src/core/confusable.js'

describe('confusableWords', () => {
  it.each([
    ['const p\u0430ypal = 1', 'p\u0430ypal', 'mixes Latin and Cyrillic letters'],
    ['src/\u0441onfig.ts', '\u0441onfig', 'mixes Latin and Cyrillic letters'],
    ['if (is\u0391dmin)', 'is\u0391dmin', 'mixes Latin and Greek letters'],
    ['let sc\u043epe_1', 'sc\u043epe_1', 'mixes Latin and Cyrillic letters'],
    ['src/\u0441\u043e\u0440\u0443.ts', '\u0441\u043e\u0440\u0443', 'looks Latin but is Cyrillic'],
    ['\uff41dmin()', '\uff41dmin', 'has letters that look like Latin ones and are not'],
    ['x = \u{1d400}B', '\u{1d400}B', 'has letters that look like Latin ones and are not'],
    ['a\u0561b', 'a\u0561b', 'mixes Latin and Armenian letters'],
  ])('reports %s', (line, word, reason) => {
    expect([...confusableWords(line)]).toEqual([[word, reason]])
  })

  it.each([
    'const total = price * count',
    '// \u0446\u0435\u043d\u0430 \u0438 \u0441\u043a\u0438\u0434\u043a\u0430 in one line',
    'const \u0394t = \u03bb1 * \u03bcs',
    '\u5909\u6570 = value',
    'na\u00efve caf\u00e9',
    '\u0430 \u0438 \u043e',
  ])('reports nothing in %s', (line) => {
    expect([...confusableWords(line)]).toEqual([])
  })
})

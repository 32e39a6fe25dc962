import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scoreHistories } from '../../bench/lines/suite.js'

/** The bench runs a thousand. These are its first thirty. */
const GROUPS = [
  [1, 2, 3, 4, 5],
  [6, 7, 8, 9, 10],
  [11, 12, 13, 14, 15, 16],
  [17, 18, 19, 20, 21],
  [22, 23, 24, 25, 26],
  [27, 28, 29, 30],
]

describe('blame after random histories of git', () => {
  it.each(GROUPS)('never names a wrong author: histories %i to %i', async (...seeds) => {
    const place = mkdtempSync(join(tmpdir(), 'escrowfs-lines-'))
    try {
      const { right, unknown, wrong, faults } = await scoreHistories(place, seeds)
      expect(faults.filter((fault) => fault.includes('wrong'))).toEqual([])
      expect(wrong).toBe(0)
      expect(right).toBeGreaterThan(300)
      expect(unknown / (right + unknown)).toBeLessThan(0.02)
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
  })
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scoreHistories } from '../../bench/lines/suite.js'

/** The bench runs a thousand histories. These are some of the first, of every kind. */
const SEEDS = [1, 2, 3, 4, 5, 6]

describe('blame after random histories of git', () => {
  it('never names a wrong author', async () => {
    const place = mkdtempSync(join(tmpdir(), 'escrowfs-lines-'))
    try {
      const { right, unknown, wrong, faults } = await scoreHistories(place, SEEDS)
      expect(faults.filter((fault) => fault.includes('wrong'))).toEqual([])
      expect(wrong).toBe(0)
      expect(right).toBeGreaterThan(300)
      expect(unknown / (right + unknown)).toBeLessThan(0.02)
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
  })
})

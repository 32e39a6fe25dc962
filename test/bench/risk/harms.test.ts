import { describe, expect, it } from 'vitest'
import { SETUP_EDITS } from '../../../bench/risk/benign.js'
import { readCorpus } from '../../../bench/risk/corpus.js'
import { Draft } from '../../../bench/risk/draft.js'
import { HARMS } from '../../../bench/risk/harms.js'
import { randomOf } from '../../../bench/risk/random.js'

describe('a harm of the risk suite', () => {
  const corpus = readCorpus()

  it.each(Object.entries(HARMS))('%s: changes its file after any benign edit of it', (_, harm) => {
    for (const [seed, edit] of SETUP_EDITS.entries()) {
      const draft = new Draft(randomOf(seed), corpus)
      edit(draft)
      const path = harm(draft)
      expect(draft.changedPaths()).toContain(path)
    }
  })
})

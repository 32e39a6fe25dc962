import { expect, it } from 'vitest'
import { gitFailure } from '../../src/core/git-failure.js'

it('joins the lines of an error', () => {
  expect(gitFailure('error: one\n\ttwo\n')).toEqual({ problem: 'error: one; two' })
})

it('takes the command from a refusal in any language', () => {
  const text =
    "fatal: zweifelhafte Eigentumsrechte in '/r'\nUm eine Ausnahme:\n\n\tgit config --global --add safe.directory '/r r'\n"
  expect(gitFailure(text)).toEqual({
    problem: "zweifelhafte Eigentumsrechte in '/r'",
    hint: "Another user owns the repository, and its settings can start programs. If you trust it, run: git config --global --add safe.directory '/r r'",
  })
})

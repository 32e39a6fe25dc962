import { type Approver, openWorkspace } from 'escrowfs'

const ADA = { name: 'Ada', email: 'ada@example.org' }

/** Simulates a person who allows the write of one migration, and does not widen a scope. */
export const approver: Approver = async (question) =>
  question.kind === 'access' ? { answer: 'once', by: ADA } : undefined

/** The person accepts the policy and intents of a workspace on this machine, as `escrow trust` does. */
export async function acceptFiles(root: string): Promise<void> {
  const workspace = await openWorkspace(root)
  try {
    await workspace.accept((await workspace.trust()).digest, ADA)
  } finally {
    await workspace.close()
  }
}

/** The person's side: prints the staged changes of a session, approves them, and commits them. */
export async function reviewAndCommit(root: string, session: string, print: (line: string) => void): Promise<void> {
  const workspace = await openWorkspace(root)
  try {
    const review = await workspace.review(session)
    const { changes } = await review.changes()
    for (const { kind, path, hunks } of changes) print([`${kind} ${path}`, ...hunks.map(({ text }) => text)].join('\n'))
    await review.approve(undefined, ADA)
    const { committed } = await review.commit()
    for (const path of committed) print(`committed ${path}`)
    for (const { line, model, approvedBy } of await workspace.ledger.blame('src/price.js'))
      print(`src/price.js:${line} by ${model}, approved by ${approvedBy}`)
  } finally {
    await workspace.close()
  }
}

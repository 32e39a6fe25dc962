import { type Approver, openWorkspace } from 'escrowfs'

const ADA = { name: 'Ada', email: 'ada@example.org' }

/** Stands for a person who lets one migration be written, and widens no scope. */
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

/** The person's side: looks at what a session has staged, approves it, and puts it on disk. */
export async function reviewAndCommit(root: string, session: string, say: (line: string) => void): Promise<void> {
  const workspace = await openWorkspace(root)
  try {
    const review = await workspace.review(session)
    const { changes } = await review.changes()
    for (const { kind, path, hunks } of changes) say([`${kind} ${path}`, ...hunks.map(({ text }) => text)].join('\n'))
    await review.approve(undefined, ADA)
    const { committed } = await review.commit()
    for (const path of committed) say(`committed ${path}`)
    for (const { line, model, approvedBy } of await workspace.ledger.blame('src/price.js'))
      say(`src/price.js:${line} by ${model}, approved by ${approvedBy}`)
  } finally {
    await workspace.close()
  }
}

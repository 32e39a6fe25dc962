import { EscrowError, rootOf } from '../../index.js'
import type { Context } from '../context.js'
import { type ReviewOptions, reviewInTerminal } from './app.js'
import { hubSource } from './hub-source.js'

/**
 * Opens the terminal review of the sessions that wait on a hub. The token comes from a variable, because other users
 * can see a command line.
 * @param hub its address; true for the hub of this workspace
 */
export async function reviewOnHub(context: Context, hub: string | true, options: ReviewOptions): Promise<void> {
  const { io, library, directory, exit } = context
  const { assertOutsideSession } = await library()
  assertOutsideSession()
  const token = process.env.ESCROW_HUB_TOKEN?.trim()
  if (token === undefined || token === '')
    throw new EscrowError('unsupported', 'There is no token of a reviewer.', {
      hint: 'Set the variable ESCROW_HUB_TOKEN: ESCROW_HUB_TOKEN=$(cat ada.token) escrow review --hub',
    })
  const { addressOf, connectReviewer, readRemote } = await import('../../remote/index.js')
  const url = hub === true ? readRemote(rootOf(directory()) ?? directory()).url : addressOf(hub)
  const reviewer = await connectReviewer({ url, token })
  const { code, summary } = await reviewInTerminal(hubSource(reviewer), options)
  io.out(summary)
  exit(code)
}

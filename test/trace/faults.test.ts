import { describe, expect, it } from 'vitest'
import { unavailable } from '../../src/trace/faults.js'

const noSpaceError = (code: string) => Object.assign(new Error(`${code}: no space left on device, write`), { code })

describe('a ledger that cannot be used', () => {
  it.each(['ENOSPC', 'EDQUOT'])('names both disks that an append writes to: %s', (code) => {
    const error = unavailable('/w/agent_trace.jsonl', noSpaceError(code), '/state')
    expect(error).toMatchObject({ reason: 'ledger_unavailable', hint: 'Free space there, then try again.' })
    expect(error.message).toContain('/w/agent_trace.jsonl or /state')
  })

  it('names the ledger for another error', () => {
    expect(unavailable('/w/agent_trace.jsonl', noSpaceError('EACCES'), '/state').message).toContain(
      'The ledger /w/agent_trace.jsonl',
    )
  })
})

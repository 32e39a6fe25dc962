import { describe, expect, it } from 'vitest'
import { sha256hex } from '../../overlay/index.js'
import { inScope } from '../../src/hub/scope.js'
import type { Database } from '../../src/hub/sql.js'
import { openStores } from '../../src/hub/stores.js'
import { EMPTY_TIP, foldLine, type LineFold, NO_LINES, step, type Tip } from '../../src/trace/chain.js'
import { newDraft } from '../../src/trace/index.js'
import { placeDraft } from '../../src/trace/place.js'
import { continueChain, EMPTY_CHAIN } from '../../src/trace/remote-chain.js'
import { newScope } from './fixtures.js'

/** Lines of a new ledger: records of escrowfs, each with the hash of the previous one. */
export function ledgerLines(count: number, from: Tip = EMPTY_TIP): Buffer[] {
  let tip = from
  return Array.from({ length: count }, (_, index) => {
    const draft = newDraft({ type: 'tool_call', intent: null, session: `agent-${index}` })
    const placed = placeDraft(draft, tip, undefined)
    tip = placed.tip
    return placed.line
  })
}

export const foldOf = (lines: readonly Buffer[]): LineFold =>
  lines.map((line) => sha256hex(line)).reduce(foldLine, NO_LINES)
/** The lines of a ledger, as an export has them. */
export const textOf = (lines: readonly Buffer[]) => lines.map((line) => `${line}\n`).join('')

/** @param hosts two connections to the same database */
export function describeMachineLedgers(hosts: () => [Database, Database]): void {
  const machinesOf = (scope = newScope(), at: 0 | 1 = 0) => openStores(hosts()[at], scope).machines
  const exportLedger = async (machines: ReturnType<typeof machinesOf>, machine: string, after = 0) => {
    let text = ''
    for await (const page of machines.read(machine, after)) text += page.toString()
    return text
  }

  describe("a machine's ledger", () => {
    it('has exactly the lines that the machine sent, in several batches', async () => {
      const machines = machinesOf()
      const lines = [...ledgerLines(5), Buffer.from('{"of":"another tool ä \\u0000"}'), Buffer.from('{ "a": 1 }\r')]
      expect(await machines.head('laptop')).toEqual(NO_LINES)
      for (const [from, to] of [
        [0, 2],
        [2, 3],
        [3, 7],
      ] as const)
        expect(await machines.append('laptop', foldOf(lines.slice(0, from)), lines.slice(from, to))).toEqual(
          foldOf(lines.slice(0, to)),
        )
      expect(await exportLedger(machines, 'laptop')).toBe(textOf(lines))
      expect(await exportLedger(machines, 'laptop', 4)).toBe(textOf(lines.slice(4)))
      expect(await exportLedger(machines, 'laptop', 7)).toBe('')
      const bytes = Buffer.byteLength(textOf(lines))
      const head = `5:${sha256hex(lines[4] ?? '')}`
      expect(await machines.list()).toEqual([
        { machine: 'laptop', lines: 7, bytes, head, at: expect.stringMatching(/^\d{4}-/) },
      ])
      await expect(exportLedger(machines, 'desk')).rejects.toMatchObject({ code: 'not_found' })
    })

    it('accepts a repeated batch, and no other lines in its place', async () => {
      const machines = machinesOf()
      const [lines, others] = [ledgerLines(6), ledgerLines(6)]
      const all = foldOf(lines.slice(0, 4))
      await machines.append('laptop', NO_LINES, lines.slice(0, 2))
      await machines.append('laptop', foldOf(lines.slice(0, 2)), lines.slice(2, 4))
      expect(await machines.append('laptop', NO_LINES, lines.slice(0, 2))).toEqual(all)
      expect(await machines.append('laptop', foldOf(lines.slice(0, 2)), lines.slice(2, 4))).toEqual(all)
      for (const [after, batch] of [
        [NO_LINES, others.slice(0, 2)],
        [NO_LINES, lines.slice(0, 5)],
        [foldOf(lines.slice(0, 3)), lines.slice(2, 4)],
        [foldOf(others.slice(0, 4)), others.slice(4)],
        [{ lines: 4, sha256: sha256hex('') }, lines.slice(4)],
      ] as const)
        await expect(machines.append('laptop', after, batch)).rejects.toMatchObject({ code: 'behind' })
      expect(await exportLedger(machines, 'laptop')).toBe(textOf(lines.slice(0, 4)))
    })

    it('refuses lines that do not continue it', async () => {
      const machines = machinesOf()
      const lines = ledgerLines(4)
      const [one, two, three, four] = lines
      if (!one || !two || !three || !four) throw new Error('There are four lines.')
      await machines.append('laptop', NO_LINES, [one])
      const changed = Buffer.from(two.toString().replace('agent-1', 'agent-9'))
      const batches: readonly (readonly Buffer[])[] = [
        [three],
        [two, four, three],
        [changed, three],
        [two, two],
        [one],
        [two, Buffer.from('{"a":\n1}'), three],
        [Buffer.concat([two, Buffer.from('\n')])],
        [Buffer.from('no JSON')],
        [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
        [Buffer.from('{"a":"\0"}')],
        [],
        Array.from({ length: 1_001 }, () => Buffer.from('{}')),
      ]
      for (const batch of batches)
        await expect(
          machines.append('laptop', foldOf([one]), batch),
          textOf(batch).slice(0, 200),
        ).rejects.toMatchObject({
          code: 'invalid',
        })
      expect(await machines.append('laptop', foldOf([one]), [two, three, four])).toEqual(foldOf(lines))
    })

    it('may continue an earlier line, as after a merge by git, which may be a line of another tool', async () => {
      const machines = machinesOf()
      const tool = Buffer.from('{"of":"another tool"}')
      const first = ledgerLines(2)
      const [base, below] = [tipAfter([...first, tool]), tipAfter(first)]
      const [mine, theirs] = [ledgerLines(2, base), ledgerLines(1, below)]
      const others = [...ledgerLines(1, base), ...theirs]
      const batches = [[...first, tool], mine, others]
      let all = NO_LINES
      for (const batch of batches) all = await machines.append('laptop', all, batch)
      await expect(machines.append('laptop', all, theirs)).rejects.toMatchObject({ code: 'invalid' })
      expect(await exportLedger(machines, 'laptop')).toBe(textOf(batches.flat()))
      expect(await machines.list()).toMatchObject([{ isForked: true }])
      const { tip } = await endOf(batches.flat())
      const merge = placeDraft(newDraft({ type: 'merge', intent: null, session: null }), tip, undefined)
      await machines.append('laptop', all, [merge.line])
      expect((await machines.list())[0]).not.toHaveProperty('isForked')
    })

    it('stores a batch once that two hubs append at the same time', async () => {
      const scope = newScope()
      const hubs = [machinesOf(scope, 0), machinesOf(scope, 1)]
      const lines = ledgerLines(30)
      for (let at = 0; at < lines.length; at += 10) {
        const [before, batch] = [lines.slice(0, at), lines.slice(at, at + 10)]
        const heads = await Promise.all(hubs.map((machines) => machines.append('laptop', foldOf(before), batch)))
        expect(heads).toEqual(hubs.map(() => foldOf([...before, ...batch])))
      }
      expect(await exportLedger(machinesOf(scope), 'laptop')).toBe(textOf(lines))
    })

    it('is separate for each machine and from the audit', async () => {
      const scope = newScope()
      const { machines, ledger } = openStores(hosts()[0], scope)
      const [laptop, audit] = [ledgerLines(2), ledgerLines(1)]
      await machines.append('laptop', NO_LINES, laptop)
      await machines.append('audit', NO_LINES, audit)
      expect(await ledger.read('audit', 0)).toEqual([])
      expect((await machines.list()).map(({ machine, lines }) => [machine, lines])).toEqual([
        ['audit', 1],
        ['laptop', 2],
      ])
      expect(await exportLedger(machines, 'laptop')).toBe(textOf(laptop))
    })

    it('is read in pages of at least one line', async () => {
      const machines = machinesOf()
      const long = Buffer.from(JSON.stringify({ a: 'x'.repeat(3 * 1024 * 1024) }))
      const lines = [Buffer.from('{"a":1}'), long, long, Buffer.from('{"b":1}')]
      await machines.append('laptop', NO_LINES, lines.slice(0, 2))
      await machines.append('laptop', foldOf(lines.slice(0, 2)), lines.slice(2))
      const pages: number[] = []
      let text = ''
      for await (const page of machines.read('laptop', 0)) {
        pages.push(page.length)
        text += page.toString()
      }
      expect(text === textOf(lines)).toBe(true)
      expect(pages.length).toBe(2)
    })

    it.each([
      ['a byte of a line', `update escrow.ledgers set line = replace(line, 'agent-1', 'agent-8') where number = 2`],
      ['the last line', `update escrow.ledgers set line = replace(line, 'agent-2', 'agent-8') where number = 3`],
      ['a removed line', 'delete from escrow.ledgers where number = 2'],
      ['a removed last line', 'delete from escrow.ledgers where number = 3'],
      [
        'a byte and its hash',
        `update escrow.ledgers set line = line || ' ', sha256 = encode(sha256(convert_to(line || ' ', 'UTF8')), 'hex')
          where number = 3`,
      ],
    ])('shows %s that was changed in the table', async (_, sql) => {
      const scope = newScope()
      const machines = machinesOf(scope)
      await machines.append('laptop', NO_LINES, ledgerLines(3))
      await changeRows(hosts()[0], `${sql} and tenant = '${scope.tenant}'`)
      await expect(exportLedger(machines, 'laptop')).rejects.toMatchObject({ code: 'refused' })
    })

    it('refuses a batch that continues more earlier lines than the limit of look-ups', async () => {
      const machines = machinesOf()
      const tools = Array.from({ length: 1_000 }, (_, index) => Buffer.from(`{"tool":${index}}`))
      const first = ledgerLines(1, tipAfter(tools))
      await machines.append('laptop', NO_LINES, tools)
      const all = await machines.append('laptop', foldOf(tools), first)
      // It continues the last of a thousand lines of another tool, after which a record exists already.
      const branch = ledgerLines(1, tipAfter(tools))
      await expect(machines.append('laptop', all, branch)).rejects.toMatchObject({ code: 'invalid' })
    })

    it('is hidden from other workspaces by the database itself', async () => {
      const [scope, other] = [newScope(), newScope()]
      await machinesOf(scope).append('laptop', NO_LINES, ledgerLines(1))
      for (const table of ['machine_ledgers', 'ledgers'])
        expect(await inScope(hosts()[0], other, (query) => query.rows(`select * from escrow.${table}`)), table).toEqual(
          [],
        )
    })
  })
}

/** The tips of lines that were written one after the other. */
function tipAfter(lines: readonly Buffer[]): Tip {
  return lines.reduce((tip, line) => {
    const next = step(tip, JSON.parse(line.toString()), sha256hex(line), line.length + 1)
    if ('problem' in next) throw new Error(next.problem)
    return next
  }, EMPTY_TIP)
}

/** The tips of lines of which some continue earlier ones. */
async function endOf(lines: readonly Buffer[]) {
  const earlier = { find: async () => undefined, line: async () => Buffer.alloc(0) }
  const continued = await continueChain(EMPTY_CHAIN, lines, earlier)
  if ('problem' in continued) throw new Error(continued.problem)
  return continued.end
}

/** Changes rows as the owner of the database can, who is exempt from row security then. */
export async function changeRows(database: Database, sql: string): Promise<void> {
  await database.transaction(async (query) => {
    await query.script('alter table escrow.ledgers no force row level security')
    await query.script(sql)
    await query.script('alter table escrow.ledgers force row level security')
  })
}

import { expect, it } from 'vitest'
import type { FactName } from '../../src/risk/facts.js'
import { byRisk, FACTS, riskOf } from '../../src/risk/index.js'

const change = (path: string, ...names: readonly FactName[]) => ({
  path,
  risk: riskOf(names.map((name) => ({ name, severity: FACTS[name].severity, sentence: '', path }))),
})

it('orders by the most serious fact, then by the number of kinds, then by path', () => {
  const changes = [
    { path: 'a' },
    change('b', 'large', 'no-test'),
    change('c', 'deleted'),
    change('d', 'secret'),
    change('e', 'secret', 'runs-text'),
    change('f', 'deleted', 'network-call', 'large'),
    change('g', 'deleted', 'deleted', 'deleted'),
  ]
  expect(changes.sort(byRisk).map(({ path }) => path)).toEqual(['e', 'd', 'f', 'c', 'g', 'b', 'a'])
})

it('the level is that of the most serious fact', () => {
  expect(change('a', 'secret', 'large').risk.level).toBe('stop')
  expect(change('a').risk.level).toBe('none')
})

import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'
import { VERSIONS } from './versions.js'

const FILE = 'docs/hosts/checks.md'

const HEAD = `# Checks with real clients

\`npm run test:clients\` installs each client from the npm registry, runs it against a scripted model on this machine, and fills this table.
Each row is a test. "–" means that the check does not apply to the client, or has no test yet.
`

/** Writes the table of clients and checks if all suites ran and all tests passed. */
export default class ChecksTable implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const clients = Object.values(VERSIONS).map(({ title }) => title)
    const rows = clients.map((title) => [title, passedTestsOf(modules, title)] as const)
    const isWhole = modules.every((each) => each.state() === 'passed') && rows.every(([, checks]) => checks.length > 0)
    if (isWhole) writeFileSync(FILE, tableOf(rows))
  }
}

/** The titles of a client's passed tests. */
function passedTestsOf(modules: readonly TestModule[], client: string): string[] {
  const suites = modules.flatMap((each) => [...each.children.suites()].filter(({ name }) => name === client))
  return suites.flatMap((suite) => [...suite.children.allTests('passed')].map(({ name }) => name))
}

function tableOf(checksByClient: readonly (readonly [title: string, checks: readonly string[]])[]): string {
  const versions = Object.values(VERSIONS).map(({ title, version }) => `${title} ${version}`)
  const checks = [...new Set(checksByClient.flatMap(([, each]) => each))]
  const rows = checks.map((check) => [check, ...checksByClient.map(([, each]) => (each.includes(check) ? 'yes' : '–'))])
  const all = [['check', ...versions], ...rows]
  const widths = all[0]?.map((_, index) => Math.max(...all.map((row) => row[index]?.length ?? 0))) ?? []
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  const [first = [], ...rest] = all
  return `${HEAD}\n${[line(first), rule, ...rest.map(line)].join('\n')}\n`
}

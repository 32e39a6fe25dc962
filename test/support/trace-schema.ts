import { existsSync, readFileSync, statSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** Validates a record against Agent Trace 0.1.0. Returns the errors, or ''. */
export function validateTrace(record: unknown): string {
  const valid = validator(record)
  return valid ? '' : ajv.errorsText(validator.errors)
}

const ajv = new Ajv2020({ allErrors: true })
formats.default(ajv)
const schema: unknown = JSON.parse(
  readFileSync(new URL('../fixtures/agent-trace-0.1.0.schema.json', import.meta.url), 'utf8'),
)
const validator = ajv.compile(Object(schema))

/** Validates our records in a ledger file. Skips lines that are not JSON, which a test has damaged. */
export function findLedgerErrors(file: string): string[] {
  if (!existsSync(file) || !statSync(file).isFile()) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const record = recordIn(line)
      const errors = record === undefined ? '' : validateTrace(record)
      return errors === '' ? [] : [`${errors}: ${line}`]
    })
}

function recordIn(line: string): unknown {
  try {
    return line.includes('"dev.escrowfs"') ? JSON.parse(line) : undefined
  } catch {
    return undefined
  }
}

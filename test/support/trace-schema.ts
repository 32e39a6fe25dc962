import { existsSync, readFileSync, statSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** What Agent Trace 0.1.0 has to say against a record; '' when it is valid. */
export function traceErrors(record: unknown): string {
  const valid = validator(record)
  return valid ? '' : ajv.errorsText(validator.errors)
}

const ajv = new Ajv2020({ allErrors: true })
formats.default(ajv)
const schema: unknown = JSON.parse(
  readFileSync(new URL('../fixtures/agent-trace-0.1.0.schema.json', import.meta.url), 'utf8'),
)
const validator = ajv.compile(Object(schema))

/** Of every record of ours in a ledger's file: what the schema has to say against it. Lines a test has damaged are none. */
export function ledgerErrors(file: string): string[] {
  if (!existsSync(file) || !statSync(file).isFile()) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const record = recordIn(line)
      const errors = record === undefined ? '' : traceErrors(record)
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

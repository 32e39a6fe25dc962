import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { entrySchema, rootSchema } from '../../src/intents/file-schema.js'
import { fileSchema } from '../../src/intents/template-schema.js'
import { policySchema } from '../../src/policy/policy-schema.js'
import { reviewRecord } from '../../src/review/record-schema.js'
import { quarantinedSchema } from '../../src/terminal/quarantine-schema.js'
import { changeDiagram, changeTable } from './changes.js'
import { engineTable } from './engine-turns.js'
import { chainDiagram, chainTable } from './hooks.js'
import { intentTable } from './intent-states.js'
import { recordKindsTable } from './ledger.js'
import { limitsTable, refusedTable } from './limits.js'
import { CALLS, CLIENTS, COMMANDS, FILES, HUB, LEDGER, REVIEW } from './limits-list.js'
import { fillParts, type Parts } from './markdown.js'
import { ENTRIES, pageOf, referencePage } from './reference.js'
import { factsTable } from './risk.js'
import { keysTable, kindTables, opTable, schemaTable, typeTable } from './shapes.js'
import { REPOSITORY } from './sources.js'
import { turnDiagram, turnTable } from './turns.js'

/** The generated parts of each document, by name. */
const WITH_PARTS: Readonly<Record<string, Parts>> = {
  'docs/STATE_MACHINE.md': {
    'turn-diagram': turnDiagram,
    'turn-table': turnTable,
    'engine-table': engineTable,
    'change-diagram': changeDiagram,
    'change-table': changeTable,
    'intent-table': intentTable,
  },
  'docs/HOOK_DIAGRAMS.md': { 'chain-diagram': chainDiagram, 'chain-table': chainTable },
  'docs/limits.md': {
    refused: refusedTable,
    calls: () => limitsTable(CALLS),
    hub: () => limitsTable(HUB),
    files: () => limitsTable(FILES),
    review: () => limitsTable(REVIEW),
    ledger: () => limitsTable(LEDGER),
    commands: () => limitsTable(COMMANDS),
    clients: () => limitsTable(CLIENTS),
  },
  'docs/risk.md': { 'risk-facts': factsTable },
  'docs/formats.md': {
    policy: () => schemaTable(policySchema),
    'intents-file': () => schemaTable(rootSchema),
    intent: () => schemaTable(entrySchema),
    template: () => schemaTable(fileSchema),
    'record-kinds': recordKindsTable,
    'review-keys': () => keysTable(reviewRecord, ['id', 'at', 'entries']),
    'review-kinds': reviewKinds,
    'stage-keys': () => typeTable('overlay/stage-edit.ts', 'EditCommon'),
    'stage-ops': () => opTable('overlay/stage-edit.ts', 'StageEdit', 'ImageEdit'),
    plan: () => typeTable('src/commit/types.ts', 'Plan'),
    'plan-change': () => typeTable('src/commit/types.ts', 'PlannedChange'),
    quarantine: () => schemaTable(quarantinedSchema),
  },
}

function reviewKinds(): string {
  const kinds = kindTables(reviewRecord, ['kind', 'id', 'at', 'entries'])
  return kinds.map(([kind, table]) => `#### \`${kind}\`\n\n${table}`).join('\n\n')
}

/** Generates every document that is generated in whole or in part. Maps its name to its text. */
export async function generateDocuments(): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const [name, parts] of Object.entries(WITH_PARTS))
    texts.set(name, await fillParts(readFileSync(join(REPOSITORY, name), 'utf8'), parts))
  for (const entry of Object.keys(ENTRIES)) texts.set(pageOf(entry), referencePage(entry))
  return texts
}

import fs from 'node:fs'
import { project } from './reader.js'
import { type Block, blocksOf } from './readme-blocks.js'

export interface Placed extends Block {
  /** Relative to the repository. */
  readonly document: string
}

/** Every document of this repository, including generated ones. */
export function allDocuments(): string[] {
  const top = fs.readdirSync(project).filter((name) => name.endsWith('.md'))
  const docs = fs.readdirSync(`${project}docs`, { recursive: true, encoding: 'utf8' })
  const examples = fs.readdirSync(`${project}examples`).map((name) => `examples/${name}/README.md`)
  const found = [...docs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`), ...examples]
  return [...top, ...found.filter((name) => fs.existsSync(`${project}${name}`))].sort()
}

/** Their fenced blocks. */
export function allBlocks(): Placed[] {
  return allDocuments().flatMap((document) =>
    blocksOf(fs.readFileSync(`${project}${document}`, 'utf8')).map((block) => ({ ...block, document })),
  )
}

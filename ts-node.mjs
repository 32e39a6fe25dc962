// Runs the working tree's TypeScript without a build: node --import ./ts-node.mjs file.ts
import { register } from 'node:module'

register('ts-node/esm', import.meta.url)
// A stack trace names the lines of the sources.
process.setSourceMapsEnabled(true)

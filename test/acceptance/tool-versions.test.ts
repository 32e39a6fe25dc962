import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { parseVersions, versionsLine } from '../../src/acceptance/tool-versions.js'

const ask = (command: string) =>
  parseVersions(execFileSync('/bin/sh', ['-c', versionsLine(command) ?? 'true']).toString())

describe('the tool versions of a command', () => {
  it("are those that its programs print, and Node's for its scripts", () => {
    expect(ask('cd x && node a.js')).toEqual({ node: process.version })
    expect(ask('npm test')).toMatchObject({ node: process.version, npm: expect.stringMatching(/^\d+\./) })
  })

  it('come only from known programs, not from a name within a longer word', () => {
    expect(versionsLine('./run-all --node-like mynode; rm x')).toBeUndefined()
  })

  it('omit a program that does not answer, and output of another form', () => {
    expect(parseVersions('node\tv22\nnpm\t\nother\t1\nnode\n\n')).toEqual({ node: 'v22' })
  })
})

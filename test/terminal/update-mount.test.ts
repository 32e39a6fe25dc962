import fs from 'node:fs'
import { PassThrough } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { tempDir } from '../support/facade.js'
import { site } from './site.js'

/** A running command that executes each line that it gets, and reports when it is done. */
const LISTENING = 'n=0; echo began; while read -r line; do sh -c "$line"; n=$((n+1)); echo "done $n"; done'

async function setUpListener(files: Record<string, string>) {
  const fixture = await site(files)
  const stdin = new PassThrough()
  let output = ''
  let onOutput = (): void => undefined
  const running = await fixture.session.start(LISTENING, {
    stdin,
    onOutput: (chunk) => {
      output += Buffer.from(chunk)
      onOutput()
    },
  })
  const waitForOutput = (word: string) =>
    new Promise<void>((resolve) => {
      onOutput = () => output.includes(`${word}\n`) && resolve()
      onOutput()
    })
  let count = 0
  const run = async (line: string): Promise<string> => {
    const from = output.length
    stdin.write(`${line}\n`)
    await waitForOutput(`done ${++count}`)
    return output.slice(from).replace(/done \d+\n$/, '')
  }
  await waitForOutput('began')
  return { ...fixture, running, run }
}

it('a running command sees what others have staged since, and its changes of that are its own', async () => {
  const { session, root, running, run } = await setUpListener({
    'src/a': 'a\n',
    'src/b': 'b\n',
    'src/d/x': 'x\n',
    'src/l': 'l\n',
  })
  const { fs: staged } = session
  expect(await run('cat src/a; ls src')).toBe('a\na\nb\nd\nl\n')
  staged.writeFileSync(`${root}/src/a`, 'new\n')
  staged.rmSync(`${root}/src/b`)
  staged.renameSync(`${root}/src/d`, `${root}/src/e`)
  staged.rmSync(`${root}/src/l`)
  staged.symlinkSync('a', `${root}/src/l`)
  await running.refresh()
  expect(await run('cat src/a src/l src/e/x; ls src')).toBe('new\nnew\nx\na\ne\nl\n')
  const before = (await session.changes()).digest
  await running.ingest()
  expect((await session.changes()).digest).toBe(before)
  await run('echo mine >> src/a; rm src/e/x')
  const { refused } = await running.ingest()
  expect(refused).toEqual([])
  expect(staged.readFileSync(`${root}/src/a`, 'utf8')).toBe('new\nmine\n')
  expect(staged.existsSync(`${root}/src/e/x`)).toBe(false)
})

it('a link that it put in place of a directory does not lead out of its mount', async () => {
  const { path: outside, dispose } = tempDir()
  onTestFinished(dispose)
  fs.writeFileSync(`${outside}/x`, 'theirs\n')
  const { session, root, running, run } = await setUpListener({ 'src/d/x': 'x\n', 'src/e/x': 'x\n' })
  await run(`rm -r src/d src/e; ln -s ${outside} src/d; ln -s ${outside} src/e`)
  session.fs.writeFileSync(`${root}/src/d/x`, 'new\n')
  session.fs.writeFileSync(`${root}/src/d/y`, 'new\n')
  session.fs.rmSync(`${root}/src/e`, { recursive: true })
  await running.refresh()
  expect(fs.readdirSync(outside)).toEqual(['x'])
  expect(fs.readFileSync(`${outside}/x`, 'utf8')).toBe('theirs\n')
})

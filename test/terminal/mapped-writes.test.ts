import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { PROVIDERS, withProvider } from '../support/providers.js'
import { site } from './site.js'

/** The numbers of mmap(2), read(2) and write(2). */
const CALLS = process.arch === 'arm64' ? [222, 63, 64] : [9, 0, 1]

/** Maps a file, and lets the kernel write into the mapping: read(2) from a pipe. Waits for the file `next` in between. */
const WRITER = `my ($mmap, $read) = (${CALLS.join(', ')});
open F, '+<', 'src/a' or die $!;
my $at = syscall($mmap, 0, 4096, 3, 1, fileno(F) + 0, 0);
pipe R, W;
sub put { syswrite W, $_[0]; syscall($read, fileno(R) + 0, $at + 0, 4) == 4 or die $! }
put('GOOD');
select(undef, undef, undef, 0.05) until -e 'src/next';
put('LATE');
print <F>;`

/** Maps a file, reads it through the mapping, then writes into it. */
const LATE_WRITER = `my ($mmap, $read, $write) = (${CALLS.join(', ')});
open F, '+<', 'src/a' or die $!;
my $at = syscall($mmap, 0, 4096, 3, 1, fileno(F) + 0, 0);
pipe R, W;
syscall($write, fileno(W) + 0, $at + 0, 4) == 4 or die $!;
sysread R, my $old, 4;
syswrite W, 'LATE';
syscall($read, fileno(R) + 0, $at + 0, 4) == 4 or die $!;`

/** On tmpfs, such a write changes no time of the file. */
const MEMORY = '/dev/shm'

afterEach(() => vi.unstubAllEnvs())

describe.each(PROVIDERS)('in %s', (name) => {
  withProvider(name)

  it('a write through a mapping after the file was ingested is staged at the end', async () => {
    const { session, root } = await site({ 'src/a': 'aaaa\n' })
    const readStaged = () => session.fs.readFileSync(`${root}/src/a`, 'utf8')
    const command = await session.start(`perl -e "$WRITER" & sleep 2; touch src/next; wait`, {
      every: 100,
      env: { WRITER },
    })
    await vi.waitFor(() => expect(readStaged()).toBe('GOOD\n'), { timeout: 20_000 })
    await setTimeout(10)
    await command.wait()
    expect(command.read().text).toBe('LATE\n')
    expect(readStaged()).toBe('LATE\n')
  })

  it.each([
    ['unchanged', 'cat src/a'],
    ['written by an earlier command', 'echo bbbb > src/a'],
  ])(
    'a write through a mapping that has read the page is staged, though TMPDIR is in memory: a file %s',
    async (_, before) => {
      vi.stubEnv('TMPDIR', MEMORY)
      const { session, root } = await site({ 'src/a': 'aaaa\n' })
      await session.exec(before)
      // Later than the margin within which every time counts as a change.
      await setTimeout(100)
      const { stdout } = await session.exec('perl -e "$WRITER"; cat src/a', { env: { WRITER: LATE_WRITER } })
      expect(stdout.toString()).toBe('LATE\n')
      expect(session.fs.readFileSync(`${root}/src/a`, 'utf8')).toBe('LATE\n')
    },
  )
})

import { setTimeout } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { PROVIDERS, withProvider } from '../support/providers.js'
import { site } from './site.js'

/** The numbers of mmap(2) and read(2). */
const CALLS = process.arch === 'arm64' ? [222, 63] : [9, 0]

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
})

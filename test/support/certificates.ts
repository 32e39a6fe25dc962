const NODES = 'NODE_EXTRA_CA_CERTS'
const OURS = 'ESCROWFS_TEST_CERTIFICATES'

/**
 * Removes the variable with further certificates from the environment of the suites. Node 20 reads all certificates at each start if it is
 * set, which doubles the time of a start. The suites start Node thousands of times, and only npm may need a host outside.
 */
export default function setup(): void {
  const file = process.env[NODES]
  if (file === undefined) return
  process.env[OURS] = file
  delete process.env[NODES]
}

/** The environment of an npm that may ask the registry. */
export function npmEnvironment(): NodeJS.ProcessEnv {
  const { [OURS]: file, ...env } = process.env
  return file === undefined ? env : { ...env, [NODES]: file }
}

/** The calls of the scripted models, one per turn: two reads, two staged writes and one refused write. */
export const CALLS = [
  { name: 'read_file', args: { path: 'src/price.js' } },
  {
    name: 'write_file',
    args: { path: 'src/price.js', content: 'export const price = (net) => Math.round(net * 1.2)\n' },
  },
  { name: 'write_file', args: { path: 'billing/invoice.js', content: 'export const invoice = [1]\n' } },
  { name: 'write_file', args: { path: 'migrations/001.sql', content: 'alter table prices add tax integer;\n' } },
  { name: 'run_command', args: { command: 'cat src/price.js' } },
] as const

export const LAST_REPLY = 'Prices have tax now. The invoice is not mine to change.'

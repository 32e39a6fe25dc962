/** The calls that the scripted models make, one a turn: two that are staged, one that is refused, one that looks. */
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

export const LAST_WORDS = 'Prices have tax now. The invoice is not mine to change.'
